"""Pods ask for more devices than any one node can give them.

Finds: pods that wait for more devices than the largest node offers, or for so many that no node has
them free although the nodes together have; and pods that a plugin refused because a shared device
is given out one at a time.

Why: a pod runs on one node, so that its devices all come from there. It waits for ever, or until
a node happens to be empty, while the cluster as a whole seems to have enough.

Sure: compare the request with the most that is free on one node, not with the sum.

Do: ask for less in each pod, or gather free devices by moving other pods. A refusal of a shared
device goes with a request of 1 (NVIDIA: failRequestsGreaterThanOne).
"""

import re
from collections.abc import Iterable

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.refusal_cause import refusal_cause
from bridgehead.core.diagnose.refusals import (
    Refused,
    by_resource,
    clearing,
    counted,
    nodes_of,
    refused_pods,
)
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.shortage import Lack, Shortage, lacks, most_free
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule

_SHARED = re.compile(r"maximum request size for shared resources is (\d+)")


def _check(scene: Scene) -> Iterable[Cause]:
    for lack in lacks(scene, Shortage.TOO_MANY_ASKED, Shortage.SCATTERED):
        yield _scattered(lack) if lack.sort is Shortage.SCATTERED else _never(lack)
    for resource, found in by_resource(refused_pods(scene, Refusal.ALLOCATE)).items():
        shared = tuple(item for item in found if _SHARED.search(item.said.said))
        if shared:
            yield _refused(resource, shared)


def _never(lack: Lack) -> Cause:
    waiting = lack.waiting
    most = max(item.offered for item in lack.options)
    largest = tuple(item for item in lack.options if item.offered == most)
    return Cause(
        message=f"{waiting.who} {waiting.verb} {waiting.count} {waiting.resource}, and no node "
        f"offers more than {most}: it can never be placed",
        blame=Blame.WORKLOAD,
        object=waiting.object,
        nodes=tuple(item.node.name for item in largest),
        explains=waiting.explained,
        evidence=(*waiting.evidence, *(it.room.evidence for it in largest[:3])),
        refuted_by=f"a node offers {waiting.count} {waiting.resource}",
        ruled_out=(RuledOut("missing devices", "every node offers all that it should"),),
        actions=(Action(text=f"Ask for {most} or fewer devices in a pod, or spread the work"),),
        rollback_helps=RollbackHelps.NO,
    )


def _scattered(lack: Lack) -> Cause:
    waiting, best = lack.waiting, most_free(lack.options)
    free = [item for item in lack.options if item.free]
    total = sum(item.free for item in free)
    return Cause(
        message=f"{waiting.who} {waiting.verb} {waiting.count} {waiting.resource}; {total} are "
        f"free on {len(free)} nodes, and no more than {best.free} on any one of them",
        blame=Blame.EXPECTED,
        object=waiting.object,
        nodes=tuple(item.node.name for item in free),
        explains=waiting.explained,
        evidence=(*waiting.evidence, *(item.room.evidence for item in free[:4])),
        refuted_by=f"one node has {waiting.count} free",
        ruled_out=(
            RuledOut("a lost plugin", "every node that the pods may go to offers its devices"),
            RuledOut("all devices in use", f"{total} are free in sum"),
        ),
        actions=(
            Action(text="Wait until a node is emptier, ask for fewer, or move smaller pods away"),
        ),
        rollback_helps=RollbackHelps.NO,
        severity=Severity.INFO,
    )


def _refused(resource: str, found: tuple[Refused, ...]) -> Cause:
    nodes = nodes_of(found)
    return refusal_cause(
        found,
        message=f"{counted(found)} asked for more than one shared {resource} on "
        f"{', '.join(nodes)}; the plugin's sharing gives out one at a time",
        blame=Blame.WORKLOAD,
        refuted_by="a pod that asks for one is refused with the same words",
        ruled_out=(RuledOut("a fault of the plugin", "it answers, and says which size it takes"),),
        actions=(
            Action(text="Ask for 1 in each container; two shares of a device are no more of it"),
            *clearing(found),
        ),
    )


RULE = DiagnosisRule(
    name="request-larger-than-node",
    severity=Severity.WARNING,
    level=4,
    references=("https://github.com/NVIDIA/k8s-device-plugin#with-cuda-time-slicing",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)
