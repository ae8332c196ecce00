"""The use case ``rollback``: take back what a run changed, whether it is open or over."""

import msgspec

from bridgehead.app.limits import TooShort
from bridgehead.app.open_run import at_its_run, open_run
from bridgehead.app.planning import Planned, plan_live
from bridgehead.app.resume import Over, resume
from bridgehead.app.rollout import NotAllowed, Options, RolloutResult, begin
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.cluster.access import complete, missing_permissions
from bridgehead.cluster.read import read_component
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.model.component import Component, images, template_digest
from bridgehead.core.plan.plan import Refusal, Refused
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rollback.undoing import undoing
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
    session = await at_its_run(session, ref)
    user = await session.kube.self_subject_review()
    lacking = await missing_permissions(session.kube, ref, session.state_namespace)
    if lacking:
        grants = complete(lacking, ref, session.state_namespace)
        return NotAllowed(lacking, user.username, grants)
    component = await read_component(session.kube, ref)
    last: Record | None = None
    if component is not None and component.anchor:
        found = await open_run(session, component)
        if isinstance(found, Record):
            resumed = await _turn_back(session, found, component, user.username)
            if not isinstance(resumed, Over):
                return resumed
            if resumed.ended.ending.exit != 0:
                return resumed.ended
            last = resumed.record
        elif found is not None:
            return found
    last = last or await _last_finished(session, ref)
    if last is None:
        return NothingToTakeBack(str(ref))
    return await _undo(session, last, options, user.username)


async def _turn_back(
    session: Session, record: Record, component: Component, user: str
) -> Ended | Over | TooShort:
    turn = note("turn", "back", detail={"reason": f"{user} asked for a rollback"})
    return await resume(session, record, component, user, turn)


async def _undo(session: Session, last: Record, options: Options, user: str) -> RolloutResult:
    """A new run that gives back what the finished run changed: images, or the whole template.

    It goes over every node that the finished run's spec selects, not only over those in its
    journal: nodes that joined since, or that took the version on when they were Ready again, run
    it as well, and one that is left out keeps the component on OnDelete (ADR 8, ADR 11).
    """
    spec = undoing(last.run, last.plan)

    async def planning() -> Planned:
        standing = await read_component(session.kube, spec.component)
        if standing is not None and not _left_by(last, standing):
            return Planned(result=Refused(refusals=(_changed_since(last),)), component=standing)
        return await plan_live(session.kube, spec, now=session.clock(), detach=options.detach)

    return await begin(session, spec, planning, last.spec, user)


def _left_by(last: Record, standing: Component) -> bool:
    """Whether the component stands as the run left it."""
    return standing.template_digest == template_digest(last.plan.target_template)


def _changed_since(last: Record) -> Refusal:
    ref = last.plan.spec.component
    before = images(last.plan.former_template)
    former = ", ".join(f"{name}={before.get(name, 'none')}" for name in last.plan.images)
    return Refusal(
        "changed-since",
        f"{ref} was changed after run {last.run}: its template is not the one that the run left, "
        "so its former version is not what was there before",
        f"write a spec with what you want ({last.run} began from {former or last.plan.former.name})"
        ", then "
        "bridgehead rollout -f FILE; or let Kubernetes undo the last change: "
        f"kubectl rollout undo ds/{ref.name} -n {ref.namespace}",
        str(ref),
    )


async def _last_finished(session: Session, ref: ComponentRef) -> Record | None:
    """The newest run of the component that ended with exit 0."""
    store = RunStore(session.kube, session.state_namespace)
    for listed in reversed(await store.list_runs(ref)):
        ending = fold(await store.entries(listed.run)).ending
        if ending is not None and ending.exit == 0:
            return await store.load(listed.run)
    return None
