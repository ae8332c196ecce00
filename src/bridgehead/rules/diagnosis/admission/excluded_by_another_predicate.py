"""Free devices are on a node that another check keeps the pods away from.

Finds: pods that wait for devices, and nodes with enough free devices that are cordoned, have a
taint that the pods do not tolerate, are not selected by them, or have too little of something else.
It is only told, and no warning, where the pods may go to other nodes whose devices are in use.

Why: the scheduler counts each node under its first failing check. In "1 untolerated taint, 9
Insufficient" the node with the devices is the tainted one, and people look at the nine.

Sure: evaluate each node by itself: free devices, then cordon, taints, node selector and affinity,
processors and memory.

Do: change the check that is named, in the pod or on the node. Nothing is wrong with the devices.
"""

from collections import defaultdict
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scheduling_message import Check
from bridgehead.core.diagnose.shortage import Lack, Shortage, lacks
from bridgehead.core.diagnose.waiting import Option, Waiting
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_JUDGED = (Check.CORDON, Check.TAINT, Check.SELECTION)
"""Checks that nodes and pods alone decide, so that a node that passed them here passes them."""


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    for lack in lacks(scene, Shortage.EXCLUDED, Shortage.UNEXPLAINED):
        if lack.waiting.message is None:
            yield Doubt(
                why=f"{lack.waiting.who} {'wait' if len(lack.waiting.pods) > 1 else 'waits'}, and "
                "neither an event nor a condition of the scheduler was read"
            )
        elif lack.sort is Shortage.EXCLUDED:
            yield _cause(lack)
        elif (cause := _by_the_message(lack)) is not None:
            yield cause


def _cause(lack: Lack) -> Cause:
    waiting = lack.waiting
    by_text: dict[str, list[Option]] = defaultdict(list)
    for item in lack.options:
        by_text[item.obstacle.text if item.obstacle else ""].append(item)
    told = "; ".join(
        f"{_nodes(items)} ({max(it.free for it in items)} free) {why}"
        for why, items in by_text.items()
    )
    first = lack.options[0]
    assert first.obstacle is not None
    return _told(
        lack,
        f"{waiting.who} {waiting.verb} {waiting.count} {waiting.resource}, and another check "
        f"keeps {'it' if len(waiting.pods) == 1 else 'them'} away from where that is: {told}",
        _remedy(first.obstacle.check, waiting, first),
        Confidence.HIGH,
    )


def _by_the_message(lack: Lack) -> Cause | None:
    """Where nothing seen here excludes a node with free devices, the scheduler's own words do."""
    waiting = lack.waiting
    message = waiting.message
    others = [
        item
        for item in (message.kept if message else ())
        if item.resource != waiting.resource and item.check not in _JUDGED
    ]
    if not others:
        return None
    said = ", ".join(f"{item.count} {item.reason}" for item in others)
    where = _nodes(list(lack.options))
    return _told(
        lack,
        f"{waiting.who} {waiting.verb} {waiting.count} {waiting.resource}, which is free on "
        f"{where}; the scheduler keeps nodes away for other reasons: {said}",
        Action(text=f"Look at what the scheduler counts beside devices: {said}"),
        Confidence.MEDIUM,
    )


def _told(lack: Lack, message: str, action: Action, confidence: Confidence) -> Cause:
    waiting = lack.waiting
    free = tuple(item.room.evidence for item in lack.options[:3])
    obstacles = tuple(
        Evidence(f"node {item.node.name}", item.obstacle.text)
        for item in lack.options[:3]
        if item.obstacle is not None
    )
    return Cause(
        message=message,
        blame=Blame.SCHEDULING,
        object=waiting.object,
        nodes=tuple(item.node.name for item in lack.options),
        explains=waiting.explained,
        evidence=(*waiting.evidence, *free, *obstacles),
        refuted_by="the pods still wait when the check that is named lets the node pass",
        ruled_out=(
            RuledOut("a lost plugin", f"the nodes offer {waiting.resource}"),
            RuledOut("devices in use", "with all of them free the nodes would be excluded still"),
        ),
        actions=(action,),
        rollback_helps=RollbackHelps.NO,
        severity=Severity.INFO if _has_a_turn(waiting) else None,
        confidence=confidence,
    )


def _has_a_turn(waiting: Waiting) -> bool:
    """Whether the pods may go to other nodes, once devices there are given back."""
    return any(item.offered >= waiting.count for item in waiting.fitting)


def _remedy(check: Check, waiting: Waiting, option: Option) -> Action:
    node, pod = option.node, waiting.pods[0]
    match check:
        case Check.CORDON:
            return Action(
                text=f"If nobody keeps node {node.name} cordoned on purpose, open it",
                command=f"kubectl uncordon {node.name}",
                risk=Risk.NONE,
            )
        case Check.TAINT:
            return Action(
                text="Give the pods a toleration for the taint, or take the taint off the node; a "
                "node that is not ready has to be repaired first",
                command=f"kubectl describe node {node.name}",
            )
        case Check.SELECTION:
            return Action(
                text="Change the pods' node selector or affinity, or label the node",
                command=f"kubectl get pod -n {pod.namespace} {pod.name} -o yaml",
            )
        case _:
            return Action(
                text="Ask for less of what is short there, or end what uses it",
                command=f"kubectl describe node {node.name}",
            )


def _nodes(options: list[Option]) -> str:
    names = [item.node.name for item in options]
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return f"node{'s' if len(names) > 1 else ''} {', '.join(names[:3])}{more}"


RULE = DiagnosisRule(
    name="excluded-by-another-predicate",
    severity=Severity.WARNING,
    level=4,
    references=("NVIDIA/gpu-operator#156",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)
