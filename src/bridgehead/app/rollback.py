"""The use case ``rollback``: take back what a run changed, whether it is open or over."""

import msgspec

from bridgehead.app.component_ref import RunName
from bridgehead.app.open_run import at_its_run
from bridgehead.app.planning import Planned, plan_live
from bridgehead.app.resume import Over, resume
from bridgehead.app.rollout import Busy, NotAllowed, Options, RolloutResult, begin
from bridgehead.app.session import Session
from bridgehead.app.subject import NothingOpen, OpenRun, Subject, component_named, find
from bridgehead.cluster.access import complete, missing_permissions
from bridgehead.cluster.read import read_component
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.model.component import Component, images, template_digest
from bridgehead.core.plan.plan import Refusal, Refused
from bridgehead.core.rollback.undoing import objection, undoing
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.state import Ending


class NothingToTakeBack(msgspec.Struct, frozen=True, kw_only=True):
    """What the component has of runs leaves nothing to be taken back; nothing was done (exit 1)."""

    component: str
    run: str = ""
    """The run that was looked at; empty where the component never had one."""
    why: str = ""
    absent: Refusal | None = None
    """That there is no such component."""
    other: str = ""
    """A run that may be taken back where it is named."""


async def rollback(
    session: Session, subject: Subject, options: Options
) -> RolloutResult | NothingToTakeBack:
    """Take the open run back; without one, make the newest run's former version the target.

    A run that is not the component's newest is undone only where it is named. An open way back is
    gone on with, unless it is named itself. Raises KubeError, ClusterError and Stopped.
    """
    named = subject.name if isinstance(subject, RunName) else ""
    ref = await component_named(session, subject)
    if not named:
        session = await at_its_run(session, ref)
    user = (await session.kube.self_subject_review()).username
    lacking = await missing_permissions(session.kube, ref, session.state_namespace)
    if lacking:
        return NotAllowed(lacking, user, complete(lacking, ref, session.state_namespace))
    found = await find(session, ref)
    if named and (not isinstance(found, OpenRun) or found.record.run != named):
        if isinstance(found, OpenRun):
            return Busy(found.record.run, f"it came after {named}")
        found = await find(session, RunName(named))
    match found:
        case OpenRun():
            return await _go_back(session, found, user, options, named=bool(named))
        case NothingOpen(run=run, ending=Ending() as ending):
            record = await RunStore(session.kube, session.state_namespace).load(run)
            return await _undo_or_not(session, record, ending, user, options, named=bool(named))
        case NothingOpen(absent=absent):
            return NothingToTakeBack(component=str(ref), absent=absent)
        case _:
            return found


async def _go_back(
    session: Session, found: OpenRun, user: str, options: Options, *, named: bool
) -> RolloutResult | NothingToTakeBack:
    session = msgspec.structs.replace(session, state_namespace=found.namespace)
    record, component = found.record, found.component
    turn = note("turn", "back", detail={"reason": f"{user} asked for a rollback"})
    is_way_back = bool(record.plan.spec.undoes) and not named
    also = () if is_way_back else (turn,)
    resumed = await resume(session, record, component, user, *also)
    if not isinstance(resumed, Over):
        return resumed
    ending = resumed.ended.ending
    if ending.exit != 0 or is_way_back:
        return resumed.ended
    return await _undo_or_not(session, record, ending, user, options, named=named)


async def _undo_or_not(
    session: Session, last: Record, ending: Ending, user: str, options: Options, *, named: bool
) -> RolloutResult | NothingToTakeBack:
    why = objection(last.run, last.plan, ending, named=named)
    if not why:
        return await _undo(session, last, options, user)
    undoes = last.plan.spec.undoes
    return NothingToTakeBack(
        component=str(last.plan.spec.component),
        run=last.run,
        why=why,
        other=last.run if undoes and ending.exit == 0 else undoes,
    )


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
