"""A container cannot start because its node does not know the CDI name of its device.

Finds: pods whose start fails with "unresolvable CDI devices", in an event or in the state of a
container.

Why: the plugin hands out a name, and the runtime looks for it in the CDI specifications of the
node. They are missing, old, know only "all", or were made with other names than the plugin's.

Sure: allocation worked, the start fails, and the message names the device. Compare it with the
files in /etc/cdi and /var/run/cdi of the node.

Do: make the specification anew, and let plugin, toolkit and RuntimeClass agree on the way devices
are handed over. If it began with a new configuration, go back to the former one.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import Pod

_NAME = r"[a-z0-9][\w.-]*/[\w.-]+=[\w.:/-]*[\w]"
_UNKNOWN = re.compile(rf"unresolvable CDI devices (?P<names>{_NAME}(?:, ?{_NAME})*)", re.IGNORECASE)


def _check(scene: Scene) -> Iterable[Cause]:
    groups: dict[tuple[str, str], list[tuple[Pod, str, Evidence]]] = defaultdict(list)
    for pod in sorted(scene.observed.snapshot.pods, key=lambda item: item.ref):
        said = _says(scene, pod)
        if said is not None and pod.node:
            names, evidence = said
            kind = names.partition("=")[0]
            groups[pod.node, kind].append((pod, names, evidence))
    by_kind: dict[str, list[tuple[str, list[tuple[Pod, str, Evidence]]]]] = defaultdict(list)
    for (node, kind), found in sorted(groups.items()):
        by_kind[kind].append((node, found))
    for kind, nodes in by_kind.items():
        yield _cause(scene, kind, nodes)


def _says(scene: Scene, pod: Pod) -> tuple[str, Evidence] | None:
    """The names that could not be resolved, of a pod that has not come to run since."""
    if pod.ready or pod.phase == "Succeeded" or pod.deleting:
        return None
    for item in (*pod.init_containers, *pod.containers):
        for said in (item.message, item.last_message):
            if found := _UNKNOWN.search(said):
                return found["names"], Evidence(f"status of pod {pod.ref}", said)
    for event in reversed(scene.events(pod)):
        if found := _UNKNOWN.search(event.message):
            return found["names"], Evidence(event.source, event.message)
    return None


def _cause(
    scene: Scene, kind: str, nodes: list[tuple[str, list[tuple[Pod, str, Evidence]]]]
) -> Cause:
    pods = [pod for _, found in nodes for pod, _, _ in found]
    first, names, evidence = nodes[0][1][0]
    where = ", ".join(node for node, _ in nodes)
    who = f"pod {first.ref}" if len(pods) == 1 else f"{len(pods)} pods"
    known = _specifications(scene, nodes[0][0], kind)
    return Cause(
        message=f"{who} on {where} cannot start: the node has no CDI specification of {names}",
        blame=Blame.CONFIGURATION,
        object=ObjectRef("v1", "Pod", first.namespace, first.name),
        nodes=tuple(node for node, _ in nodes),
        explains=tuple(pod_key(pod) for pod in pods),
        evidence=(evidence, *known),
        refuted_by=f"the files in /etc/cdi and /var/run/cdi of the node have {names}",
        ruled_out=(
            RuledOut("a lost plugin", "the device was allocated: only then a name is resolved"),
            RuledOut("the image", "the start fails before the image's own process"),
        ),
        actions=(
            Action(
                text="Make the specification anew on the node, with the vendor's tool",
                command=f"ssh {nodes[0][0]} sudo nvidia-ctk cdi generate "
                "--output=/var/run/cdi/nvidia.yaml"
                if "nvidia" in kind
                else f"ssh {nodes[0][0]} ls -l /etc/cdi /var/run/cdi",
                risk=Risk.NONE,
                rung="runbook",
            ),
            Action(
                text="Let device list strategy, toolkit version and RuntimeClass agree; if it "
                "began with a new configuration of the plugin, go back to the former one"
            ),
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
    )


def _specifications(scene: Scene, node: str, kind: str) -> tuple[Evidence, ...]:
    """What the node's CDI files know of that kind, where they were looked at."""
    evidence = scene.observed.evidence.get(node)
    if evidence is None or evidence.cdi is None:
        return ()
    of_kind = [name for name, said in sorted(evidence.cdi.items()) if kind in said]
    shown = f"{kind} in {', '.join(of_kind)}" if of_kind else f"no file of {kind}"
    return (Evidence(f"CDI specifications of node {node}", shown),)


RULE = DiagnosisRule(
    name="cdi-name-unknown",
    severity=Severity.ERROR,
    level=5,
    cases=("USE-2",),
    references=(
        "NVIDIA/nvidia-container-toolkit#1239",
        "NVIDIA/nvidia-container-toolkit#1895",
    ),
    needs=frozenset({Need.PODS}),
    helped_by=frozenset({Need.EVENTS, Need.NODE_EVIDENCE}),
    check=_check,
)
