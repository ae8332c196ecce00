"""``bridgehead abort``: take an open run back, whoever is at it."""

import click

from bridgehead.app.abort import abort as take_back
from bridgehead.app.asking import Asker, Outcome
from bridgehead.app.loop import Stopped
from bridgehead.app.pause import NotOpen
from bridgehead.app.runner import Ended
from bridgehead.app.subject import Subject
from bridgehead.cli.answers import answered
from bridgehead.cli.asker import asker_options
from bridgehead.cli.endings import as_ended, stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.place import Place
from bridgehead.cli.say import say
from bridgehead.cli.state_namespace import state_namespace_option
from bridgehead.cli.subject import Named, read_subject, subject_options
from bridgehead.cli.surroundings import run_here

BACK = frozenset({Exit.ROLLED_BACK, Exit.FINDINGS})
"""Endings after which everything is as it was before the run."""


@click.command(epilog="Example:  bridgehead abort -f bridgehead.yaml --reason 'wrong image'")
@subject_options
@cluster_options
@output_option("text", "json")
@state_namespace_option
@asker_options
def abort(
    named: Named, cluster: ClusterOptions, output: str, state_namespace: str, asker: Asker
) -> Exit:
    """Take back everything that an open run has touched.

    A runner that lives does it, and its records are shown to the end; without one this command
    does. Exit 0 when the former version is back and verified, 1 if there was nothing to abort or
    the run was done before, 4 if a person must look.
    """
    subject = read_subject(named)
    if isinstance(subject, Exit):
        return subject
    place = Place(cluster, state_namespace)
    result = run_here(_run(subject, place, asker))
    where = place.as_arguments
    again = f"bridgehead abort{named.as_argument}{where}"
    if isinstance(result, tuple):
        return stopped(*result, output, again)
    code = answered(result, output, again, where, of_an_abort)
    if isinstance(result, Ended) and code is Exit.FINDINGS:
        say(f"the abort did not count: run {result.run.name} was done before")
    return code


def of_an_abort(result: Ended) -> Exit:
    """It is done when all is as it was before; a run that was done before is not taken back."""
    code = as_ended(result)
    if code in BACK:
        return Exit.DONE
    return Exit.FINDINGS if code is Exit.DONE else code


async def _run(
    subject: Subject, place: Place, asker: Asker
) -> Outcome | NotOpen | tuple[Stopped, Exit]:
    """The ending, or the stop and the exit code of the signal that asked for it."""
    async with place.runner(subject) as (session, stop):
        return await stop.result_of(take_back(session, subject, asker))
