"""The end of a stage: what has passed stays under watch before the next stage begins."""

from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.plan import Stage, StageKind
from bridgehead.core.rollout.baseline import kin, proven
from bridgehead.core.rollout.decision import Decision, note, wait
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeStatus
from bridgehead.core.rollout.unread_logs import never_read, unread
from bridgehead.core.rollout.watch import lost, out_of_sight
from bridgehead.core.rollout.world import World


def soak(run: Run, stage: Stage, world: World, now: float) -> Decision:
    """No node of the stage is under way and the former template is parked: watch, then go on."""
    if unproven := _unproven(run, stage, world):
        return unproven
    passed = note("stage", "passed", detail={"stage": stage.name, **_empty(run, stage)})
    hidden = out_of_sight(run, world)
    if not hidden and not _to_soak(run):
        return Decision(notes=(passed,))
    since = run.state.soak_since
    if since is None:
        detail: JsonObject = {"stage": stage.name, "seconds": stage.soak}
        return Decision(notes=(note("stage", "soaking", detail=detail),))
    left = since + stage.soak - now
    if left > 0:
        return wait(f"{stage.name} soaks for {left:.0f} s more")
    silent = () if hidden else unread(run, world)
    if not hidden and not silent:
        return Decision(notes=(passed,))
    patience = run.plan.timing.timeout
    if left > -patience:
        what = f"{hidden[0].name} passed and is not seen so now" if hidden else ""
        return wait(what or f"{silent[0].name} passed, but its log cannot be read")
    return Decision(
        notes=(
            *(lost(item, world, patience, now) for item in hidden),
            *(never_read(item, world, patience, now) for item in silent),
        )
    )


def _empty(run: Run, stage: Stage) -> JsonObject:
    """Why the stage proves nothing; nothing where a node of it runs the new version."""
    if any(run.state.node(name).status is NodeStatus.PASSED for name in run.members):
        return {}
    left = [run.state.node(name).status.value for name in stage.nodes]
    return {"reason": f"no node of it was changed ({', '.join(dict.fromkeys(left))})"}


def _to_soak(run: Run) -> bool:
    """Whether a node of the stage has passed and did not stand under watch for its soak yet."""
    members = (run.state.node(name) for name in run.members)
    return any(
        item.status is NodeStatus.PASSED and item.soaked <= run.state.stage for item in members
    )


def _unproven(run: Run, stage: Stage, world: World) -> Decision | None:
    """A canary that never had its turn proves nothing: no other node of its kind may follow."""
    if stage.kind is not StageKind.CANARY:
        return None
    for name in stage.nodes:
        node = run.state.node(name)
        if node.status is NodeStatus.PASSED or proven(run, name, world):
            continue
        followers = [
            other
            for other in kin(run, name, world)
            if run.state.node(other).status is NodeStatus.PENDING
        ]
        if followers or not run.with_status(NodeStatus.PASSED):
            why = f"canary {name} was not changed ({node.reason or node.status.value})"
            reason = f"{why}, so nothing proves the new version on nodes of its kind"
            if node.left_out:
                way = f"try it again (resume --retry {name}), or leave out all of its kind"
                reason = f"{reason}: {way}"
            return Decision(notes=(note("turn", "hold", detail={"reason": reason}),))
    return None
