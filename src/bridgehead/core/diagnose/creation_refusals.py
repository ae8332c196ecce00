"""Pods of DaemonSets that the API server refuses to create, and which of its checks does.

Messages of Kubernetes 1.30.14 and 1.37.2 (plugin/pkg/admission, apiserver/pkg/admission/plugin,
pod-security-admission), as the DaemonSet controller repeats them in FailedCreate events.
"""

import re
from enum import Enum

import msgspec

from bridgehead.core.components.label_writers import writes_labels
from bridgehead.core.components.operands import operand_of
from bridgehead.core.components.registration import is_device_plugin
from bridgehead.core.components.resources import pods_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import daemon_set_key
from bridgehead.core.findings.finding import ObjectRef
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import child, text


class Check(Enum):
    """Which check of the API server refuses the pod."""

    POD_SECURITY = "pod security"
    PRIORITY_QUOTA = "a quota for the priority class"
    RUNTIME_CLASS = "RuntimeClass"
    SERVICE_ACCOUNT = "ServiceAccount"
    PRIORITY_CLASS = "PriorityClass"
    WEBHOOK_DENIES = "an admission webhook"
    WEBHOOK_AWAY = "an admission webhook that does not answer"
    QUOTA = "a ResourceQuota"
    LIMITS = "a LimitRange"
    POLICY = "a ValidatingAdmissionPolicy"
    OTHER = "the API server"


_MARKS = (
    (
        r"violates PodSecurity \"(?P<what>[^\"]+)\"|PodSecurityPolicy: unable to admit pod"
        r"|unable to validate against any (pod )?security (policy|context constraint)",
        Check.POD_SECURITY,
    ),
    (r"insufficient quota to match these scopes: (?P<what>.*)", Check.PRIORITY_QUOTA),
    (r"RuntimeClass \"(?P<what>[^\"]+)\" not found", Check.RUNTIME_CLASS),
    (r"error looking up service account (?P<what>[^\s:]+)", Check.SERVICE_ACCOUNT),
    (r"no PriorityClass with name (?P<what>\S+) was found", Check.PRIORITY_CLASS),
    (r"admission webhook \"(?P<what>[^\"]+)\" denied the request", Check.WEBHOOK_DENIES),
    (r"failed calling webhook \"(?P<what>[^\"]+)\"", Check.WEBHOOK_AWAY),
    (r"(exceeded|failed) quota: (?P<what>[^\s,:]+)", Check.QUOTA),
    (r"(maximum|minimum) \S+ usage per (?P<what>Container|Pod) is", Check.LIMITS),
    (r"ValidatingAdmissionPolicy '(?P<what>[^']+)'", Check.POLICY),
)


class Refused(msgspec.Struct, frozen=True, kw_only=True):
    """A DaemonSet whose pods are refused, by which check, and what that check names."""

    component: Component
    check: Check
    what: str
    message: str
    evidence: tuple[Evidence, ...]
    desired: int
    current: int
    nodes: tuple[str, ...]
    """Nodes on which the controller wants a pod of it and has none."""
    tried: bool = False
    """Whether only a dry run tells of it, which was not the controller's."""

    @property
    def object(self) -> ObjectRef:
        """The DaemonSet."""
        return ObjectRef("apps/v1", "DaemonSet", self.component.namespace, self.component.name)

    @property
    def key(self) -> str:
        """Key of the symptom that it explains."""
        return daemon_set_key(self.component.namespace, self.component.name)


def check_of(message: str) -> tuple[Check, str]:
    """The check that wrote a refusal, and what it names; OTHER where nothing tells."""
    for pattern, check in _MARKS:
        found = re.search(pattern, message)
        if found:
            return check, found.groupdict().get("what") or ""
    return Check.OTHER, ""


def refused_components(scene: Scene, *checks: Check) -> tuple[Refused, ...]:
    """DaemonSets about devices whose pods are refused now, by one of these checks.

    Events are kept for an hour: one counts only while pods are missing, and not if a pod of the
    same template has been created after it.
    """
    found = (_refused(scene, item) for item in _about_devices(scene))
    return tuple(item for item in found if item and item.check in checks)


def lacking_pods(scene: Scene) -> tuple[Component, ...]:
    """Plugins that lack pods for longer than it takes, while no event says why.

    Events are gone after an hour; a dry run of a pod may tell then.
    """
    keys = {item.key for item in scene.symptoms_with("daemonset/")}
    return tuple(
        item.component
        for item in scene.plugins
        if daemon_set_key(item.component.namespace, item.component.name) in keys
        and _lacks(scene, item.component)
        and not _events(scene, item.component)
    )


def _lacks(scene: Scene, component: Component) -> bool:
    desired, current = _counts(scene, component)
    return current < desired


def _about_devices(scene: Scene) -> list[Component]:
    components = sorted(scene.observed.snapshot.components, key=lambda item: item.ref)
    return [
        item
        for item in components
        if is_device_plugin(item)
        or writes_labels(item.template)
        or operand_of(item.name, item.template) is not None
    ]


def _refused(scene: Scene, component: Component) -> Refused | None:
    desired, current = _counts(scene, component)
    events = _events(scene, component)
    proof = events or _dry_runs(scene, component)
    if current >= desired or not proof:
        return None
    check, what = check_of(proof[0].text)
    return Refused(
        component=component,
        check=check,
        what=what,
        message=proof[0].text,
        evidence=(
            *proof[:1],
            Evidence(f"status of {component.ref}", f"desired {desired}, current {current}"),
        ),
        desired=desired,
        current=current,
        nodes=_without_pod(scene, component),
        tried=not events,
    )


def _without_pod(scene: Scene, component: Component) -> tuple[str, ...]:
    pods = pods_of(component, scene.observed.snapshot.pods)
    served = {pod.node for pod in pods if not pod.terminal}
    return tuple(
        name
        for name, node in scene.nodes.items()
        if name not in served and not misfit(component.template, node)
    )


def _counts(scene: Scene, component: Component) -> tuple[int, int]:
    """How many pods the controller wants, and how many it has."""
    raw = scene.observed.raw("DaemonSet", component.namespace, component.name) or {}
    return _count(raw, "desired"), _count(raw, "current")


def _count(raw: object, field: str) -> int:
    value = child(raw, "status", f"{field}NumberScheduled")  # type: ignore[arg-type]
    return value if isinstance(value, int) else 0


def _events(scene: Scene, component: Component) -> list[Evidence]:
    """The newest refusals of the controller, newest first."""
    pods = pods_of(component, scene.observed.snapshot.pods)
    newest = max((pod.created for pod in pods), default=0.0)
    events = scene.observed.events_of("DaemonSet", component.namespace, component.name)
    return [
        Evidence(item.source, item.message)
        for item in reversed(events)
        if item.reason == "FailedCreate" and item.last >= newest
    ]


def _dry_runs(scene: Scene, component: Component) -> list[Evidence]:
    return [
        Evidence(f"dry run of a pod of {component.ref}", text(item, "status", "message"))
        for item in scene.observed.of_kind("PodDryRun")
        if text(item, "status", "component") == component.ref
        and child(item, "status", "accepted") is False
    ]
