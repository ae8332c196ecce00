"""What each noted fact does to a run's state."""

from collections.abc import Callable, Mapping

import msgspec

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import child, text
from bridgehead.core.rollout.asked import STEP, asked
from bridgehead.core.rollout.commands import Baseline, Position, Purpose
from bridgehead.core.rollout.resuming import onward
from bridgehead.core.rollout.retesting import untested
from bridgehead.core.rollout.stages import consented, of_its_stage, soaking, stage_passed
from bridgehead.core.rollout.state import (
    Ending,
    Mode,
    NodeState,
    NodeStatus,
    RunState,
    Work,
    with_node,
)
from bridgehead.core.rollout.unproven import looked_at_again, to_be_taken_back
from bridgehead.core.verify.result import GateResult
from bridgehead.core.verify.soak import Verified

Fact = Callable[[RunState, Entry], RunState]


def fact(state: RunState, entry: Entry) -> RunState | None:
    """The state after a noted fact; None for a fact that this version does not know."""
    apply = FACTS.get((entry.step, entry.result)) or FACTS.get((entry.step, ""))
    return apply(state, entry) if apply else None


def _keep(state: RunState, entry: Entry) -> RunState:  # noqa: ARG001 - facts share one signature
    """A fact for readers only."""
    return state


def _gate(entry: Entry) -> GateResult | None:
    detail = child(entry.detail, "gate")
    if detail is None:
        return None
    result = msgspec.convert(detail, type=GateResult)
    return msgspec.structs.replace(result, evidence=entry.evidence)


def _verified(state: RunState, entry: Entry) -> RunState:
    """A pass succeeded. What that makes of the node depends on what the pass was for."""
    node = state.node(entry.node)
    purpose = node.work.purpose if node.work else Purpose(text(entry.detail, "purpose"))
    verified = msgspec.convert(child(entry.detail, "verified"), type=Verified)
    if node.work is not None and not node.work.interrupted:
        took = entry.at - (node.work.cleared_at or node.work.since)
        state = msgspec.structs.replace(state, slowest=max(state.slowest, took))
    node = msgspec.structs.replace(node, work=None)
    match purpose:
        case Purpose.LOSE | Purpose.ISOLATE:  # nothing comes back there that could be verified
            return with_node(state, node)
        case Purpose.RESTART:
            tested = msgspec.structs.replace(node, restart_tested=True, unsound=False)
            return with_node(state, tested)
        case Purpose.TAKE_BACK:
            back = msgspec.structs.replace(
                node, status=NodeStatus.TAKEN_BACK, verified=verified, unsound=False
            )
            return with_node(state, back)
        case Purpose.CHANGE:
            passed = msgspec.structs.replace(
                node,
                status=NodeStatus.PASSED,
                verified=verified,
                failure=None,
                unsound=False,
                soaked=0,
            )
            arch = text(entry.detail, "arch")
            ids = {f"{arch}/{name}": value for name, value in verified.image_ids.items()}
            state = msgspec.structs.replace(state, image_ids={**ids, **state.image_ids})
            return with_node(state, passed)


def _failed(state: RunState, entry: Entry) -> RunState:
    """A pass, or a node under watch, failed: a change can be taken back, the rest cannot."""
    node = state.node(entry.node)
    purpose = node.work.purpose if node.work else Purpose.CHANGE
    status = NodeStatus.FAILED if purpose is Purpose.CHANGE else NodeStatus.STUCK
    failed = msgspec.structs.replace(node, work=None, status=status, failure=_gate(entry))
    return with_node(state, failed)


def _unchanged(state: RunState, entry: Entry) -> RunState:
    """The node came up on the former revision, verified: it is in the queue again."""
    node = state.node(entry.node)
    again = msgspec.structs.replace(
        node, work=None, status=NodeStatus.PENDING, touched=0, unsound=False
    )
    return with_node(state, again)


def _cancelled(state: RunState, entry: Entry) -> RunState:
    """A pass that had deleted nothing: the node is what it was before it."""
    node = msgspec.structs.replace(state.node(entry.node), work=None)
    unproven = node.unsound and state.mode is Mode.BACK
    return with_node(state, to_be_taken_back(node) if unproven else node)


def _occupied(state: RunState, entry: Entry) -> RunState:
    """Pods hold devices of a cordoned node; they are waited for, or evicted."""
    node = state.node(entry.node)
    if node.work is None:
        return state
    work = msgspec.structs.replace(node.work, occupied=True)
    return with_node(state, msgspec.structs.replace(node, work=work))


def _cleared(state: RunState, entry: Entry) -> RunState:
    """Nobody who is waited for holds its devices any more."""
    node = state.node(entry.node)
    if node.work is None:
        return state
    work = msgspec.structs.replace(node.work, cleared_at=entry.at)
    return with_node(state, msgspec.structs.replace(node, work=work))


def _disowned(state: RunState, entry: Entry) -> RunState:
    """Somebody made the node schedulable while we held it."""
    return with_node(state, msgspec.structs.replace(state.node(entry.node), disowned=True))


def _away(state: RunState, entry: Entry) -> RunState:
    node = msgspec.structs.replace(state.node(entry.node), away=text(entry.detail, "reason"))
    return with_node(state, node)


def _back(state: RunState, entry: Entry) -> RunState:
    return with_node(state, msgspec.structs.replace(state.node(entry.node), away=""))


def _replaced(state: RunState, entry: Entry) -> RunState:
    """Somebody else's doing: another pod of the former version, before the node's turn."""
    node = msgspec.structs.replace(state.node(entry.node), new_pod=text(entry.detail, "pod"))
    return with_node(state, node)


def _abandoned(state: RunState, entry: Entry) -> RunState:
    """A change that is not waited for any longer, because all of it goes back."""
    return with_node(state, msgspec.structs.replace(state.node(entry.node), work=None))


def _disturbed(state: RunState, entry: Entry) -> RunState:
    """It is changed again, and its stage soaks again before anything of a later one begins."""
    node = state.node(entry.node)
    again = msgspec.structs.replace(
        node,
        status=NodeStatus.PENDING,
        verified=None,
        soaked=0,
        disturbances=node.disturbances + 1,
    )
    return of_its_stage(with_node(state, again), entry)


def _dipped(state: RunState, entry: Entry) -> RunState:
    """Its devices were away and are back, or will be: what soaks begins anew."""
    node = state.node(entry.node)
    dipped = msgspec.structs.replace(node, dips=node.dips + 1, dipped_at=entry.at)
    return msgspec.structs.replace(with_node(state, dipped), soak_since=None)


def _arrived(state: RunState, entry: Entry) -> RunState:
    """The node's pod carries the revision that is wanted already: nothing has to be deleted.

    Within a pass it goes on to its gates; without one a change begins here, with its baseline.
    """
    node = state.node(entry.node)
    if node.work is not None:
        work = msgspec.structs.replace(node.work, deleted_at=entry.at)
        return with_node(state, msgspec.structs.replace(node, work=work))
    work = Work(
        purpose=Purpose.CHANGE,
        since=entry.at,
        cordoned_at=entry.at,
        deleted_at=entry.at,
    )
    baseline = msgspec.convert(child(entry.detail, "baseline"), type=Baseline)
    begun = msgspec.structs.replace(node.begun(work, baseline), touched=entry.seq)
    return with_node(state, begun)


def _status(status: NodeStatus) -> Fact:
    def apply(state: RunState, entry: Entry) -> RunState:
        node = state.node(entry.node)
        reason = text(entry.detail, "reason")
        settled = msgspec.structs.replace(node, work=None, status=status, reason=reason)
        return with_node(state, settled)

    return apply


def _over(status: NodeStatus) -> Fact:
    """What the placement has made of a node: nothing is done there any more."""

    def apply(state: RunState, entry: Entry) -> RunState:
        node = msgspec.structs.replace(state.node(entry.node), work=None, unsound=False)
        return _status(status)(with_node(state, node), entry)

    return apply


def _waits(state: RunState, entry: Entry) -> RunState:
    node = state.node(entry.node)
    since = entry.at if node.waits_since is None else node.waits_since
    fewer = entry.at if child(entry.detail, "fewer") is True else None
    waiting = msgspec.structs.replace(node, waits_since=since, fewer_since=fewer)
    return with_node(state, waiting)


def _waited(state: RunState, entry: Entry) -> RunState:
    """Nothing puts its turn off any more; the next wait has its own time."""
    node = state.node(entry.node)
    return with_node(state, msgspec.structs.replace(node, waits_since=None, fewer_since=None))


def _fewer(state: RunState, entry: Entry) -> RunState:
    """It offered too little for so long that it is taken as it is."""
    state = _waited(state, entry)
    taken = msgspec.structs.replace(state.node(entry.node), fewer=text(entry.detail, "reason"))
    return with_node(state, taken)


def _joined(state: RunState, entry: Entry) -> RunState:
    """A new node; one that was here before under this name starts with a clean slate."""
    state = with_node(state, NodeState(name=entry.node))
    if entry.node in state.joined:
        return state
    return msgspec.structs.replace(state, joined=(*state.joined, entry.node))


def _renewed(state: RunState, entry: Entry) -> RunState:
    """Another node under the name. Our pods are by name, so they are to be deleted all the same."""
    before = state.node(entry.node)
    state = of_its_stage(_joined(state, entry), entry)
    return with_node(state, NodeState(name=entry.node, own_pods=before.own_pods))


def _probed(state: RunState, entry: Entry) -> RunState:
    node = state.node(entry.node)
    if node.work is None:
        return state
    work = msgspec.structs.replace(node.work, probe=_gate(entry))
    return with_node(state, msgspec.structs.replace(node, work=work))


def _pulled(state: RunState, entry: Entry) -> RunState:
    return with_node(state, msgspec.structs.replace(state.node(entry.node), pulled=True))


def _turn(mode: Mode) -> Fact:
    """Another way to go; a run that has ended goes none, whatever was asked while it did.

    What was said of nodes just before is still to be done, unless all of it goes back.
    """

    def apply(state: RunState, entry: Entry) -> RunState:
        if state.mode is Mode.ENDED:
            return state
        back = mode is Mode.BACK
        turned = msgspec.structs.replace(
            state,
            mode=mode,
            failure=_gate(entry) or state.failure,
            turned_for=text(entry.detail, "reason") or state.turned_for,
            resumed_by="" if back else state.resumed_by,
            answers={} if back else state.answers,
        )
        return looked_at_again(turned)

    return apply


def _refused(state: RunState, entry: Entry) -> RunState:
    return msgspec.structs.replace(_turn(Mode.BACK)(state, entry), refused=True)


def _holder(state: RunState, entry: Entry) -> RunState:
    """Another runner: what is in flight waited for it, which says nothing of how long it takes.

    How the runner before it ended is no longer how the run stands.
    """
    count = child(entry.detail, "holder")
    nodes = {
        name: msgspec.structs.replace(
            node, work=msgspec.structs.replace(node.work, interrupted=True)
        )
        if node.work is not None
        else node
        for name, node in state.nodes.items()
    }
    holder = count if isinstance(count, int) else state.holder
    ending = state.ending if state.mode is Mode.ENDED else None
    state = _adopted(state, entry)
    taken_up = msgspec.structs.replace(state, holder=holder, nodes=nodes, ending=ending)
    return looked_at_again(taken_up)


def _adopted(state: RunState, entry: Entry) -> RunState:
    """What somebody else left on the component is what this holder goes on from."""
    generation = child(entry.detail, "generation")
    if not isinstance(generation, int):
        return state
    stands = Position(text(entry.detail, "stands"))
    retakes = text(entry.detail, "retakes") == "true"
    return msgspec.structs.replace(state, generation=generation, template=stands, retakes=retakes)


def _began(state: RunState, entry: Entry) -> RunState:
    generation = child(entry.detail, "generation")
    known = generation if isinstance(generation, int) else 0
    written = text(entry.detail, "written")
    return msgspec.structs.replace(state, generation=known, written_by=written, began_at=entry.at)


def _touched(state: RunState, entry: Entry) -> RunState:
    return msgspec.structs.replace(state, written_by=text(entry.detail, "reason"))


def closes(entry: Entry) -> bool:
    """Whether the record ends its run for good: no record after it changes that."""
    return (entry.step, entry.result) == ("run", "ended") and text(entry.detail, "closed") == "true"


def _ended(state: RunState, entry: Entry) -> RunState:
    ending = msgspec.convert(child(entry.detail, "ending"), type=Ending)
    mode = Mode.ENDED if closes(entry) else state.mode
    return msgspec.structs.replace(state, mode=mode, ending=ending)


FACTS: Mapping[tuple[str, str], Fact] = {
    ("run", "began"): _began,
    ("run", "held"): _holder,
    ("run", "ended"): _ended,
    (STEP, "pause"): asked,
    (STEP, "resume"): asked,
    (STEP, "approve"): asked,
    (STEP, "abort"): asked,
    ("component", "touched"): _touched,
    ("preflight", "pulled"): _pulled,
    ("preflight", "passed"): _turn(Mode.FORWARD),
    ("preflight", "failed"): _refused,
    ("turn", "back"): _turn(Mode.BACK),
    ("turn", "hold"): _turn(Mode.HOLD),
    ("turn", "forward"): onward,
    ("node", "verified"): _verified,
    ("node", "failed"): _failed,
    ("node", "unchanged"): _unchanged,
    ("node", "cancelled"): _cancelled,
    ("node", "untested"): untested,
    ("node", "occupied"): _occupied,
    ("node", "cleared"): _cleared,
    ("node", "disowned"): _disowned,
    ("node", "abandoned"): _abandoned,
    ("node", "away"): _away,
    ("node", "back"): _back,
    ("node", "replaced"): _replaced,
    ("node", "disturbed"): _disturbed,
    ("node", "dipped"): _dipped,
    ("node", "arrived"): _arrived,
    ("node", "joined"): _joined,
    ("node", "gained"): _joined,
    ("node", "renewed"): _renewed,
    ("node", "lost"): _over(NodeStatus.LOST),
    ("node", "moved-back"): _over(NodeStatus.TAKEN_BACK),
    ("node", "waits"): _waits,
    ("node", "waited"): _waited,
    ("node", "fewer"): _fewer,
    ("node", "left"): _status(NodeStatus.LEFT),
    ("node", "set-aside"): _status(NodeStatus.SET_ASIDE),
    ("node", "probed"): _probed,
    ("gates", ""): _keep,
    ("diagnosis", "named"): _keep,
    ("diagnosis", "open"): _keep,
    ("diagnosis", "failed"): _keep,
    ("stage", "deployed"): _keep,
    ("stage", "soaking"): soaking,
    ("stage", "approved"): consented,
    ("stage", "passed"): stage_passed,
}
