"""``bridgehead release``: give back what a run has left behind."""

import click
import msgspec

from bridgehead.app.component_ref import RunName
from bridgehead.app.loop import Stopped
from bridgehead.app.release import Left, Released
from bridgehead.app.release import release as let_go
from bridgehead.app.release_run import component_marked, release_marks
from bridgehead.app.rollout import Busy
from bridgehead.app.session import Session
from bridgehead.app.subject import Subject, component_of
from bridgehead.cli.endings import conclude, stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options
from bridgehead.cli.place import Place
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.state_namespace import state_namespace_option
from bridgehead.cli.subject import Named, read_subject, subject_options
from bridgehead.cli.surroundings import run_here
from bridgehead.cli.ways import either_way, for_kubectl
from bridgehead.cluster.errors import NoSuchRunError
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.settings import ComponentRef


@click.command(epilog="Example:  bridgehead release daemonset/gpu/nvidia-device-plugin --dry-run")
@subject_options
@cluster_options
@state_namespace_option
@click.option("--dry-run", is_flag=True, help="Only show what would be given back.")
def release(named: Named, cluster: ClusterOptions, state_namespace: str, dry_run: bool) -> Exit:
    """Uncordon nodes and remove pods of runs that nobody goes on with; restore the strategy.

    Exit 4 where pods differ from the template: the strategy then stays OnDelete. Exit 6 where not
    all that it needs to see could be read: nothing is changed then. Exit 7 while a runner lives.
    """
    subject = read_subject(named)
    if isinstance(subject, Exit):
        return subject
    place = Place(cluster, state_namespace)
    result = run_here(_run(subject, place, dry_run=dry_run))
    where = place.as_arguments
    again = f"bridgehead release{named.as_argument}{where}"
    match result:
        case Busy():
            return conclude(result, "text", again, where)
        case _Done(ref=ref, released=released):
            if isinstance(ref, RunName):
                return _tell_marks(released, ref.name, where, dry_run=dry_run)
            return _tell(released, ref, where, dry_run=dry_run)
        case (stopping, code):
            return stopped(stopping, code, "text", again)


class _Done(msgspec.Struct, frozen=True):
    ref: ComponentRef | RunName
    released: Released


async def _run(
    subject: Subject, place: Place, *, dry_run: bool
) -> _Done | Busy | tuple[Stopped, Exit]:
    """What was released, or the stop and the exit code of the signal that asked for it."""
    async with place.runner(subject) as (session, stop):
        return await stop.result_of(_give_back(session, subject, dry_run=dry_run))


async def _give_back(session: Session, subject: Subject, *, dry_run: bool) -> _Done | Busy:
    ref = await _component(session, subject)
    if isinstance(ref, Busy):
        return ref
    if isinstance(ref, RunName):
        return _Done(ref, await release_marks(session, ref.name, dry_run=dry_run))
    return _Done(ref, await let_go(session, ref, dry_run=dry_run))


async def _component(session: Session, subject: Subject) -> ComponentRef | RunName | Busy:
    """The component that is meant; the run, where neither record nor component knows of it."""
    try:
        return await component_of(session, subject)
    except NoSuchRunError:
        if not isinstance(subject, RunName):
            raise
        return await component_marked(session, subject.name) or subject


def _tell_marks(released: Released, run: str, where: str, *, dry_run: bool) -> Exit:
    """What was given back of a run that has no record, and no component either."""
    left = released.left
    if left.nothing:
        say(f"error: there is no run {run}, and nothing carries its name")
        next_step(f"bridgehead status{where}")
        return Exit.USAGE
    for thing, what in released.done:
        show(f"{thing}: {what}")
    if dry_run:
        _show_left(left)
    next_step(f"bridgehead release {run}{where}" if dry_run else f"bridgehead status{where}")
    return Exit.DONE


def _show_left(left: Left) -> None:
    for node in left.nodes:
        show(f"node/{node.name}: held by run {node.held_by}")
    for pod in left.pods:
        show(f"pod/{pod.ref}: a pod of a run")


def _tell(released: Released, ref: ComponentRef, where: str, *, dry_run: bool) -> Exit:
    left = released.left
    if left.unread:
        return _unread(left.unread, ref)
    if left.nothing and not released.done:
        show(f"No run has left anything of {ref}.")
        next_step(f"bridgehead status {ref}{where}")
        return Exit.DONE
    if dry_run:
        _show_left(left)
        if left.component is not None:
            show(f"{ref}: {left.component.anchor}, {left.component.strategy_type}")
    for thing, what in released.done:
        show(f"{thing}: {what}")
    if left.component is not None and left.differing:
        return _mixed(left, ref, where)
    again = f"bridgehead release {ref}{where}"
    if released.changed:
        say(f"error: {ref} was changed at this moment; it keeps OnDelete and its marks")
        next_step(again)
        return Exit.NEEDS_A_PERSON
    next_step(again if dry_run else f"bridgehead verify {ref}{where}")
    return Exit.DONE


def _unread(unread: tuple[Unread, ...], ref: ComponentRef) -> Exit:
    say(f"error: what runs of {ref} have left is not known; nothing was changed:")
    for item in unread:
        say(f"  {item.what}: {item.why}")
    grants = "; ".join(item.grant for item in unread if item.grant)
    next_step(f"have these permissions granted: {grants}; then the same command again")
    return Exit.CANNOT


def _mixed(left: Left, ref: ComponentRef, where: str) -> Exit:
    say(f"{ref} stays OnDelete: these pods are not of the template that stands")
    for item in left.differing:
        say(f"  {item.node} -> {item.revision}: pod/{item.pod}")
    next_step(after_mixed(left, ref, where))
    return Exit.NEEDS_A_PERSON


def after_mixed(left: Left, ref: ComponentRef, where: str) -> str:
    """The ways out of mixed pods: with the run while it can be gone on with, else by hand."""
    if left.goes_on is not None:
        return either_way(ref, left.goes_on, where)
    at = f"-n {ref.namespace}{for_kubectl(where)}"
    release = f"bridgehead release {ref}{where}"
    names = " ".join(item.pod for item in left.differing)
    ways = [f"the template that stands: kubectl delete pod {names} {at} && {release}"]
    for number in sorted({item.number for item in left.differing} - {0}):
        every = (*left.differing, *left.agreeing)
        others = " ".join(item.pod for item in every if item.number != number)
        undo = f"kubectl rollout undo ds/{ref.name} --to-revision={number} {at}"
        delete = f" && kubectl delete pod {others} {at}" if others else ""
        ways.append(f"revision {number}: {undo}{delete} && {release}")
    return "; or ".join(ways)
