"""Which pods the labels of a namespace let in, and of which they warn.

Source: k8s.io/pod-security-admission/admission/admission.go and .../api/helpers.go. The cluster's
own default is ``privileged``.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bridgehead.twin.admission.pod_checks import BASELINE, RESTRICTED, SINCE, Check, Violation
from bridgehead.twin.errors import forbidden
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, fields, name_of, namespace_of
from bridgehead.twin.store import Store

_PREFIX = "pod-security.kubernetes.io/"
_NAMESPACES = Stored("", "namespaces")
_PODS = Stored("", "pods")

_CHECKS: Mapping[str, Sequence[Check]] = {
    "privileged": (),
    "baseline": BASELINE,
    "restricted": RESTRICTED,
}

_TEMPLATES: Mapping[Stored, tuple[str, ...]] = {
    Stored("", "podtemplates"): ("template",),
    Stored("", "replicationcontrollers"): ("spec", "template"),
    Stored("apps", "daemonsets"): ("spec", "template"),
    Stored("apps", "deployments"): ("spec", "template"),
    Stored("apps", "replicasets"): ("spec", "template"),
    Stored("apps", "statefulsets"): ("spec", "template"),
    Stored("batch", "jobs"): ("spec", "template"),
    Stored("batch", "cronjobs"): ("spec", "jobTemplate", "spec", "template"),
}
"""Where a workload's pod template lies."""


class _Policy(NamedTuple):
    level: str
    version: str

    def __str__(self) -> str:
        return f"{self.level}:{self.version}"

    def violations(self, spec: Object) -> list[Violation]:
        checks = (check for check in _CHECKS[self.level] if self._knows(check))
        found = (check(spec) for check in checks)
        return [violation for violation in found if violation is not None]

    def _knows(self, check: Check) -> bool:
        """Whether the check belongs to the version that the namespace names."""
        minor = self.version.rpartition(".")[2]
        return not minor.isdigit() or int(minor) >= SINCE.get(check, 0)


def check_pod_security(kind: Kind, pod: Object, old: Object | None, store: Store) -> list[str]:
    """Warnings of a pod that is let in. Raises ApiError 403 for one that is not."""
    if old is not None and not _is_significant(pod, old):
        return []
    enforce, warn = _policies(store, namespace_of(pod))
    if violations := enforce.violations(pod["spec"]):
        told = ", ".join(str(violation) for violation in violations)
        raise forbidden(kind, name_of(pod), f'violates PodSecurity "{enforce}": {told}')
    return _warned(warn, pod["spec"])


def template_warnings(kind: Kind, obj: Object, store: Store) -> list[str]:
    """What would keep the pods of a workload from being created."""
    path = _TEMPLATES.get(kind.stored)
    if path is None:
        return []
    template: Any = obj
    for key in path:
        template = (template or {}).get(key)
    spec = (template or {}).get("spec")
    return _warned(_policies(store, namespace_of(obj))[1], spec) if spec else []


def namespace_warnings(obj: Object, old: Object, store: Store) -> list[str]:
    """Which pods of a namespace its new labels would not let in."""
    new, before = _enforced(obj), _enforced(old)
    if new == before or new.level == "privileged":
        return []
    named: dict[str, list[str]] = {}
    for pod in store.select(_PODS, name_of(obj)):
        if violations := new.violations(pod["spec"]):
            reason = ", ".join(violation.reason for violation in violations)
            named.setdefault(reason, []).append(name_of(pod))
    if not named:
        return []
    head = f'existing pods in namespace "{name_of(obj)}" violate the new PodSecurity enforce level'
    return [f'{head} "{new}"', *sorted(_counted(names, why) for why, names in named.items())]


def _counted(names: Sequence[str], reason: str) -> str:
    others = len(names) - 1
    if not others:
        return f"{min(names)}: {reason}"
    return f"{min(names)} (and {others} other {'pod' if others == 1 else 'pods'}): {reason}"


def _warned(policy: _Policy, spec: Object) -> list[str]:
    violations = policy.violations(spec)
    if not violations:
        return []
    told = ", ".join(str(violation) for violation in violations)
    return [f'would violate PodSecurity "{policy}": {told}']


def _policies(store: Store, namespace: str) -> tuple[_Policy, _Policy]:
    found = store.get(_NAMESPACES, "", namespace) or {}
    labels = fields(found, "metadata", "labels")
    enforce = _enforced(found)
    if f"{_PREFIX}warn" not in labels:
        return enforce, enforce
    level = labels[f"{_PREFIX}warn"]
    version = labels.get(f"{_PREFIX}warn-version", "latest")
    return enforce, _Policy(level if level in _CHECKS else "privileged", version)


def _enforced(namespace: Object) -> _Policy:
    labels = fields(namespace, "metadata", "labels")
    level = labels.get(f"{_PREFIX}enforce", "privileged")
    version = labels.get(f"{_PREFIX}enforce-version", "latest")
    return _Policy(level if level in _CHECKS else "restricted", version)


def _is_significant(pod: Object, old: Object) -> bool:
    for key in ("containers", "initContainers"):
        images = [container.get("image") for container in pod["spec"].get(key) or ()]
        known = [container.get("image") for container in old["spec"].get(key) or ()]
        if images != known:
            return True
    return False
