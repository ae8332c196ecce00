"""Nodes that have passed stay under watch, and nodes that come or go are noticed."""

import msgspec

from bridgehead.core.journal.entry import RESOLUTION, Draft
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.foreign_holds import foreign_hold
from bridgehead.core.rollout.baseline import measure
from bridgehead.core.rollout.decision import Decision, gate_note, note, wait
from bridgehead.core.rollout.glance import unchanged
from bridgehead.core.rollout.run import Run, Tracks
from bridgehead.core.rollout.state import NodeState, NodeStatus
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.result import GateId, Question, Verdict
from bridgehead.core.verify.soak import disturbed, soak_failure
from bridgehead.core.verify.track import fewer
from bridgehead.core.verify.view import successor

DISTURBANCES = 1
"""How often a node's pod may be replaced by someone else before that counts as a failure."""


DIPS = 1
"""How often a node's devices may be away for a moment in one stage before that counts as a failure.
A kubelet that restarts takes them away once, for seconds (Kubernetes 1.37.2).
"""


def watched(run: Run, world: World, tracks: Tracks, now: float) -> Decision:
    """What became of the nodes that have passed."""
    notes = [
        found
        for node in run.with_status(NodeStatus.PASSED)
        if not unchanged(node, world, tracks)
        and (found := look(run, node, world, tracks, now)) is not None
    ]
    return Decision(notes=tuple(notes))


def look(run: Run, node: NodeState, world: World, tracks: Tracks, now: float) -> Draft | None:
    """What there is to tell of a node that passed; None while it is as it was."""
    if node.verified is None or node.work is not None:
        return None
    case = run.case(node, world, tracks.get(node.name), now)
    if disturbed(case, node.verified):
        return _disturbance(run, node, case.pod.name if case.pod else "", now)
    failed = soak_failure(case, node.verified)
    if failed is not None:
        return gate_note("node", "failed", failed, purpose="change")
    return _dip(node, case)


def _dip(node: NodeState, case: Case) -> Draft | None:
    """Devices that are away too short for two looks: once may be a kubelet, twice is the plugin."""
    since = case.track.dipped_at
    if since is None or since < node.dipped_at + RESOLUTION:
        return None
    if node.dips < DIPS:
        fewer = f"fewer {', '.join(case.missing)}" if case.missing else "back already"
        detail: JsonObject = {"reason": fewer}
        return note("node", "dipped", node=node.name, detail=detail)
    ask = case.question(GateId.ALLOCATABLE, "the devices that it passed with, all the time")
    why = "devices went away again and again after the node had passed"
    answer = ask.answer(Verdict.FAIL, f"away {node.dips + 1} times in one stage", why, case.proof)
    return gate_note("node", "failed", answer, purpose="change")


def _disturbance(run: Run, node: NodeState, pod: str, now: float) -> Draft:
    if node.disturbances < DISTURBANCES:
        detail: JsonObject = {"pod": pod, "stage": run.stage_of(node.name)}
        return note("node", "disturbed", node=node.name, detail=detail)
    ask = Question(GateId.ADMITTED, node.name, "the pod that passed", now)
    why = "its pod was replaced by someone else twice"
    return gate_note("node", "failed", ask.answer(Verdict.FAIL, f"pod {pod}", why))


def out_of_sight(run: Run, world: World) -> list[NodeState]:
    """Nodes that passed, in any stage, and are not seen so now: a soak proves nothing of them."""
    return [
        item
        for item in run.with_status(NodeStatus.PASSED)
        if not _in_sight(item, world) or _missing(item, world)
    ]


def unseen(run: Run, world: World, tracks: Tracks, now: float) -> Decision | None:
    """Before the end: None when every node that passed is seen so, else it is waited for."""
    hidden = out_of_sight(run, world)
    if not hidden:
        return None
    patience = run.plan.timing.timeout
    late = [item for item in hidden if now >= _hidden_since(item, tracks, now) + patience]
    if late:
        return Decision(notes=tuple(lost(item, world, patience, now) for item in late))
    return wait(f"{hidden[0].name} passed and is not seen so now")


def _hidden_since(node: NodeState, tracks: Tracks, now: float) -> float:
    track = tracks.get(node.name)
    return track.hidden_at if track is not None and track.hidden_at is not None else now


def _missing(node: NodeState, world: World) -> tuple[str, ...]:
    offers = node.baseline.offers if node.baseline is not None else {}
    seen = world.nodes.get(node.name)
    return tuple(offers) if seen is None else fewer(seen, offers)


def _in_sight(node: NodeState, world: World) -> bool:
    seen = world.nodes.get(node.name)
    pod = successor(world.pods.get(node.name, ()))
    there = node.verified is not None and pod is not None and pod.uid == node.verified.pod
    return there and pod is not None and pod.ready and seen is not None and seen.ready is True


def lost(node: NodeState, world: World, seconds: float, now: float) -> Draft:
    """A node that was out of sight for too long after it had passed has failed."""
    seen = world.nodes.get(node.name)
    ask = Question(GateId.POD_READY, node.name, "the pod that passed, on a Ready node", now)
    pod = world.view(node.name).successor(frozenset())
    what = "its pod is not Ready" if pod is not None else "its pod is away"
    if seen is not None and not seen.ready:
        what = "the node is not Ready"
    if _in_sight(node, world):
        ask = Question(GateId.ALLOCATABLE, node.name, "the devices that it passed with", now)
        what = f"again and again fewer {', '.join(_missing(node, world))}"
    why = f"could not be verified within {seconds:g} s after its soak"
    return gate_note("node", "failed", ask.answer(Verdict.FAIL, what, why), purpose="change")


def newcomers(run: Run, world: World) -> Decision:
    """Nodes that came are appended, those that left are dropped, unplanned canaries are judged."""
    return Decision(notes=(*_joined(run, world), *_left(run, world), *_early(run, world)))


def _joined(run: Run, world: World) -> list[Draft]:
    """A new node counts once its pod is Ready, or at once where it came up on the target.

    One that left and is back under its name is a new node too. One of which a person has spoken is
    none, and keeps what the run knows of it.
    """
    known = {*run.plan.nodes, *run.state.joined, *(item.node for item in run.plan.set_aside)}
    known |= set(run.plan.loses)
    known |= {item.name for item in run.state.nodes.values() if item.retried_at or item.left_out}
    known -= {item.name for item in run.state.nodes.values() if item.status is NodeStatus.LEFT}
    selected = run.plan.spec.nodes
    target = run.target_hash(world)
    return [
        note("node", "gained" if name in run.plan.gains else "joined", node=name)
        for name in sorted(world.pods)
        if name not in known
        and (node := world.nodes.get(name)) is not None
        and node.ready is True
        and selected.selects(node.labels)
        and any(pod.ready or (target and pod.revision == target) for pod in world.pods[name])
    ]


def _left(run: Run, world: World) -> list[Draft]:
    """A node in flight keeps its place until its time is over: it counts as failed, not as gone."""
    return [
        note("node", "left", node=item.name)
        for item in run.with_status(NodeStatus.PENDING, NodeStatus.PASSED)
        if item.name not in world.nodes and item.work is None
    ]


def _early(run: Run, world: World) -> list[Draft]:
    """Pods that were created while the target stood, on nodes whose turn did not come.

    A node that was set aside is judged once it can be: Ready, and nobody else's.
    """
    scope = set(run.scope)
    waiting = [
        name
        for name in (*run.plan.nodes, *run.state.joined)
        if name not in scope and run.state.node(name).status is NodeStatus.PENDING
    ]
    return [
        arrived(run, run.state.node(name), world)
        for name in (*waiting, *_back_again(run, world))
        if on_target(run, name, world)
    ]


def _back_again(run: Run, world: World) -> list[str]:
    """Nodes that were set aside, by the plan or on the way, and are there for anyone to judge."""
    planned = [
        item.node
        for item in run.plan.set_aside
        if run.state.node(item.node).status is NodeStatus.PENDING
        and run.state.node(item.node).work is None
    ]
    since = [
        item.name
        for item in run.state.nodes.values()
        if item.status is NodeStatus.SET_ASIDE and item.work is None and not item.unsound
    ]
    return [
        name
        for name in (*planned, *since)
        if (node := world.nodes.get(name)) is not None
        and node.ready is True
        and not foreign_hold(node, run.name)
    ]


def on_target(run: Run, name: str, world: World) -> bool:
    """Whether the node's pod carries the target revision."""
    pod = successor(world.pods.get(name, ()))
    target = run.target_hash(world)
    return pod is not None and bool(target) and pod.revision == target


def arrived(run: Run, node: NodeState, world: World) -> Draft:
    """A node came up on the target by itself: what it offers now is no baseline."""
    baseline = measure(run, node, world, own=False)
    detail: JsonObject = {"baseline": msgspec.to_builtins(baseline)}
    return note("node", "arrived", node=node.name, detail=detail)
