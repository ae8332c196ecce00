"""``bridgehead status``: how runs stand, and what is left of them in the cluster."""

import click
import msgspec

from bridgehead.app.component_ref import BadReferenceError, RunName, parse_component, parse_subject
from bridgehead.app.open_run import state_of_its_run
from bridgehead.app.status import damaged, kept_by_recovery, orphans
from bridgehead.app.status import status as read_status
from bridgehead.app.subject import absence
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.sessions import client
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.cli.surroundings import here, run_here
from bridgehead.cli.ways import after_foreign_change, by_its_name, once_mended
from bridgehead.cluster.read import read_component
from bridgehead.core.plan.plan import Refusal
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rollout.resuming import FAILED
from bridgehead.core.rollout.standing import Standing
from bridgehead.core.rollout.state import Mode
from bridgehead.report.inventory import pretty_json
from bridgehead.report.status import Damaged, Kept, Orphans, status_json, status_text

_FAILED = frozenset(status.value for status in FAILED)
"""Of these a person has to say what is to become of them before the run goes on."""


@click.command(epilog="Example:  bridgehead status daemonset/gpu/nvidia-device-plugin")
@click.argument("subject", metavar="[COMPONENT|RUN]", required=False)
@cluster_options
@output_option("text", "json")
@state_namespace_option
def status(subject: str | None, cluster: ClusterOptions, output: str, state_namespace: str) -> Exit:
    """Show open runs, or one component's or run's. Reads only.

    The open run of a component is found wherever its record is. Exit 1 where there is no such
    component and never was a run of it.
    """
    try:
        wanted = parse_subject(subject) if subject else None
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error
    seen = run_here(_read(cluster, state_namespace, wanted))
    state_namespace, found, lost, broken = seen.where, seen.runs, seen.lost, seen.broken
    absent = seen.absent
    if output == "json":
        show(pretty_json(status_json(found, lost, broken, seen.kept)))
    else:
        show(status_text(found, lost, broken, seen.kept))
    held = (*(item[1] for item in broken), *(_releases(item) for item in lost))
    if absent is not None:
        say(f"error: {absent.message}")
        next_step(absent.remedy)
        return Exit.FINDINGS
    next_step(_next(found, held, cluster, state_namespace))
    return Exit.DONE


class _Seen(msgspec.Struct, frozen=True, kw_only=True):
    """All that is shown; ``where`` is the state namespace that was looked at."""

    where: str
    runs: tuple[Standing, ...]
    lost: Orphans = ()
    broken: Damaged = ()
    kept: Kept = ()
    absent: Refusal | None = None
    """That the component does not exist."""


async def _read(
    cluster: ClusterOptions, state_namespace: str, subject: ComponentRef | RunName | None
) -> _Seen:
    async with client(cluster) as kube:
        where = state_namespace
        if isinstance(subject, ComponentRef):
            where = await state_of_its_run(kube, subject, state_namespace)
        found = await read_status(kube, where, subject, here().clock())
        if isinstance(subject, RunName):
            return _Seen(where=where, runs=found)
        lost = await orphans(kube, where, subject)
        broken = await damaged(kube, where, subject)
        kept = await kept_by_recovery(kube, where, subject)
        absent = None
        if subject is not None and not (found or lost or broken or kept):
            absent = await absence(kube, subject, await read_component(kube, subject))
        return _Seen(where=where, runs=found, lost=lost, broken=broken, kept=kept, absent=absent)


def _next(
    found: tuple[Standing, ...],
    held: tuple[str, ...],
    cluster: ClusterOptions,
    state_namespace: str,
) -> str:
    """What to do; ``held`` are components, or names, of runs that nobody can go on with."""
    where = as_arguments(cluster, state_namespace)
    if held:
        return f"bridgehead release {held[0]}{where}"
    if not found:
        return f"bridgehead inventory{cluster.as_arguments}"
    first = found[0]
    if first.open:
        return by_its_name(
            onward(first, where, state_namespace), first.component, first.run, first.undoes
        )
    return f"bridgehead journal {first.run}{where}"


def _releases(orphan: tuple[str, str]) -> str:
    """By what a mark without a record is given back: its component, or the run that it names."""
    thing, mark = orphan
    return mark if thing.startswith("node/") else thing


def onward(item: Standing, where: str, namespace: str) -> str:
    """What an open run needs."""
    ref = item.component
    if item.wishes.unreadable and item.mode != Mode.BACK.value:
        edit = f"kubectl edit configmap {item.run} -n {namespace}"
        then = f"bridgehead resume {ref}{where}; or bridgehead rollback {ref}{where}"
        return f"{edit} (take out what cannot be read under control), then {then}"
    if item.wishes.paused is not None:
        return f"bridgehead resume {ref}{where}"
    if item.wishes.awaited:
        return f"bridgehead approve {ref}{where}"
    if item.given_up:
        return f"bridgehead release {ref}{where}"
    if item.stray is not None and not item.holder and item.stray.in_the_way:
        return after_foreign_change(parse_component(ref), item.stray, Mode(item.mode), where)
    if item.rollback_helps is False:
        return (
            f"mend what it names, then: {once_mended(parse_component(ref), Mode(item.mode), where)}"
        )
    if item.mode == Mode.HOLD.value and any(node.status in _FAILED for node in item.nodes):
        return (
            f"bridgehead resume {ref}{where} with --without NODE or --retry NODE for each that "
            f"failed, or bridgehead rollback {ref}{where}"
        )
    if not item.holder:
        return f"bridgehead resume {ref}{where}, or bridgehead rollback {ref}{where}"
    return f"bridgehead journal {item.run}{where}"
