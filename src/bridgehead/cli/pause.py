"""``bridgehead pause``: begin nothing new, and make sure that the former template stands."""

import click

from bridgehead.app.asking import Asker, Outcome
from bridgehead.app.loop import Stopped
from bridgehead.app.pause import NotOpen, Parked, park
from bridgehead.app.pause import pause as ask_to_pause
from bridgehead.app.runner import Ended
from bridgehead.app.subject import NothingOpen, Subject
from bridgehead.cli.answers import answered, not_open, parked
from bridgehead.cli.asker import asker_options
from bridgehead.cli.endings import as_ended, stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.place import Place
from bridgehead.cli.say import say
from bridgehead.cli.state_namespace import state_namespace_option
from bridgehead.cli.subject import Named, read_subject, subject_options
from bridgehead.cli.surroundings import run_here

STILL = frozenset({Exit.DONE, Exit.ROLLED_BACK, Exit.WAITING, Exit.FINDINGS})
"""Endings of a run after which nothing moves and nothing new stands unattended."""


@click.command(epilog='Example:  bridgehead pause daemonset/gpu/plugin --reason "end of shift"')
@subject_options
@cluster_options
@output_option("text", "json")
@state_namespace_option
@asker_options
@click.option(
    "--park-only",
    is_flag=True,
    help="Only park what a killed runner left, without a pause: the last step of a pipeline.",
)
def pause(
    named: Named,
    cluster: ClusterOptions,
    output: str,
    state_namespace: str,
    asker: Asker,
    park_only: bool,
) -> Exit:
    """Begin nothing new, see nodes in flight through, and park the former template.

    Nobody goes on until `bridgehead resume`. A runner that lives does it; where a killed one left
    the new template standing, this command parks. Exit 0 too where no run is open, 1 where
    there is no such component and never was a run of it.
    """
    subject = read_subject(named)
    if isinstance(subject, Exit):
        return subject
    place = Place(cluster, state_namespace)
    result = run_here(_run(subject, place, None if park_only else asker))
    where = place.as_arguments
    again = f"bridgehead pause{named.as_argument}{where}{' --park-only' if park_only else ''}"
    if isinstance(result, tuple):
        return stopped(*result, output, again)
    if isinstance(result, NothingOpen):
        return not_open(result, output, where, Exit.DONE)
    if isinstance(result, Parked):
        return parked(result, output, where)
    code = answered(result, output, again, where, of_a_pause)
    if not isinstance(result, Ended) or code is not Exit.DONE:
        return code
    if as_ended(result) is not Exit.WAITING:
        say(f"nothing is paused: run {result.run.name} is over")
    else:
        stands = (
            "the new template stays, as its placement is another"
            if result.run.stays
            else ("the former template stands")
        )
        say(f"nothing is in flight; {stands}")
    return Exit.DONE


def of_a_pause(result: Ended) -> Exit:
    """It is done when nothing moves, however that came."""
    code = as_ended(result)
    return Exit.DONE if code in STILL else code


async def _run(
    subject: Subject, place: Place, asker: Asker | None
) -> Outcome | NotOpen | Parked | tuple[Stopped, Exit]:
    """The answer, or the stop and the exit code of the signal that asked for it."""
    async with place.runner(subject) as (session, stop):
        if asker is None:
            return await stop.result_of(park(session, subject))
        return await stop.result_of(ask_to_pause(session, subject, asker))
