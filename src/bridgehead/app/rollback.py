"""The use case ``rollback``: take back what a run changed, whether it is open or over."""

import msgspec

from bridgehead.app.open_run import open_run
from bridgehead.app.planning import plan_live
from bridgehead.app.rollout import NotAllowed, Options, RolloutResult, begin, resume
from bridgehead.app.runner import Session
from bridgehead.cluster.access import missing_permissions
from bridgehead.cluster.read import read_component
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.model.component import images
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import ComponentRef, ContainerImage, ImagesChange
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.transition import fold


class NothingToTakeBack(msgspec.Struct, frozen=True):
    """There is no run of the component that changed anything (exit 1)."""

    component: str


async def rollback(
    session: Session, ref: ComponentRef, options: Options
) -> RolloutResult | NothingToTakeBack:
    """Take the open run back; without one, make the last finished run's former version the target.

    Raises KubeError, ClusterError and Stopped.
    """
    user = await session.kube.self_subject_review()
    lacking = await missing_permissions(session.kube, ref, session.state_namespace)
    if lacking:
        return NotAllowed(lacking, user.username)
    component = await read_component(session.kube, ref)
    if component is not None and component.anchor:
        found = await open_run(session, component)
        if isinstance(found, Record):
            turn = note("turn", "back", detail={"reason": f"{user.username} asked for a rollback"})
            return await resume(session, found, component, user.username, turn)
        if found is not None:
            return found
    last = await _last_finished(session, ref)
    if last is None:
        return NothingToTakeBack(str(ref))
    before = images(last.plan.former_template)
    wanted = tuple(
        ContainerImage(item.container, before[item.container])
        for item in last.plan.spec.change.images
    )
    spec = msgspec.structs.replace(
        last.plan.spec, name=_name(last.plan.spec.name), change=ImagesChange(wanted)
    )
    planned = await plan_live(session.kube, spec, now=session.clock(), detach=options.detach)
    if not isinstance(planned.result, Plan) or planned.unread:
        return planned
    return await begin(session, planned.result, last.spec, user.username)


def _name(spec: str) -> str:
    """Short enough for the name of a run, and the same for a rollback of a rollback."""
    return f"{spec.removesuffix('-back')[:35]}-back"


async def _last_finished(session: Session, ref: ComponentRef) -> Record | None:
    """The newest run of the component that ended with exit 0."""
    store = RunStore(session.kube, session.state_namespace)
    for listed in reversed(await store.list_runs(ref)):
        ending = fold(await store.entries(listed.run)).ending
        if ending is not None and ending.exit == 0:
            return await store.load(listed.run)
    return None
