"""A workload has a GPU by the API and runs without the runtime that brings it in.

Finds: pods that were given a device, whose log or start error says that the vendor's tool, library
or driver is not there, and that have no runtimeClassName while the plugin's own pods have one.

Why: where the vendor's runtime is not the node's default, each pod has to ask for it by its
RuntimeClass. Without it the container starts on the plain runtime and sees no device.

Sure: the same pod with the plugin's runtimeClassName works. An image without the tools says the
same of nvidia-smi on any runtime, so look for device files too.

Do: add runtimeClassName to the workload, or make the vendor's runtime the default of the nodes.
"""

from collections import defaultdict
from collections.abc import Iterable

from bridgehead.core.components.workload_logs import NO_DEVICE_FILES
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.refusals import post_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.users import User, users
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import text


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    found = users(scene)
    well = _runs_without(scene, found)
    hit: dict[tuple[str, str], list[tuple[User, Evidence]]] = defaultdict(list)
    for user in found:
        plugin_class = _class_of_plugin(scene, user)
        if not plugin_class or user.runtime_class:
            continue
        line = user.says(NO_DEVICE_FILES)
        if line is not None:
            hit[user.resources[0], plugin_class].append((user, line))
        elif user.pod.restarts and not user.logs and not scene.observed.has(Need.LOGS):
            yield Doubt(
                why=f"pod {user.pod.ref} restarts and has no runtimeClassName, which the plugin of "
                f"{user.resources[0]} has; its log was not read"
            )
    for (resource, plugin_class), items in sorted(hit.items(), key=lambda item: item[0]):
        yield _cause(resource, plugin_class, items, well)


def _class_of_plugin(scene: Scene, user: User) -> str:
    """The RuntimeClass of the plugin that offers what the pod asks for, or an empty string."""
    resource = next(iter(user.resources), "")
    post = post_of(scene, user.pod.node, resource) if resource else None
    if post is None:
        return ""
    return text(post.plugin.component.template, "spec", "runtimeClassName")


def _runs_without(scene: Scene, found: Iterable[User]) -> frozenset[str]:
    """Nodes on which a pod with devices is well without any RuntimeClass: there it is no matter."""
    return frozenset(
        user.pod.node
        for user in found
        if user.logs
        and user.pod.ready
        and not user.runtime_class
        and user.says(NO_DEVICE_FILES) is None
        and _class_of_plugin(scene, user)
    )


def _cause(
    resource: str,
    plugin_class: str,
    items: list[tuple[User, Evidence]],
    well: frozenset[str],
) -> Cause:
    pods = [user.pod for user, _ in items]
    first = pods[0]
    nodes = tuple(sorted({pod.node for pod in pods}))
    who = f"pod {first.ref}" if len(pods) == 1 else f"{len(pods)} pods"
    return Cause(
        message=f"{who} has {resource} and runs without runtimeClassName {plugin_class}, which "
        "the plugin has: it sees no device",
        blame=Blame.WORKLOAD,
        object=ObjectRef("v1", "Pod", first.namespace, first.name),
        nodes=nodes,
        explains=tuple(pod_key(pod) for pod in pods),
        evidence=(
            *(line for _, line in items[:3]),
            Evidence(f"spec of pod {first.ref}", "runtimeClassName is not set"),
            Evidence(f"template of the plugin of {resource}", f"runtimeClassName: {plugin_class}"),
        ),
        refuted_by=f"the same pod with runtimeClassName {plugin_class} says the same",
        ruled_out=(
            RuledOut("a lost plugin", f"the pod was given {resource}"),
            RuledOut("a missing driver", f"the plugin itself works with {plugin_class}"),
        ),
        actions=(
            Action(
                text=f"Set runtimeClassName: {plugin_class} in the workload's pod template, or "
                "make that runtime the default of the nodes",
                command=f"kubectl get runtimeclass {plugin_class} -o yaml",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        confidence=Confidence.LOW if well & set(nodes) else None,
    )


RULE = DiagnosisRule(
    name="workload-on-wrong-runtime",
    severity=Severity.ERROR,
    level=5,
    cases=("USE-3",),
    references=(
        "k3s-io/k3s#4391",
        "k3s-io/k3s#4070",
        "NVIDIA/nvidia-container-toolkit#1089",
    ),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS}),
    check=_check,
)
