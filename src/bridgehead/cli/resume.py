"""``bridgehead resume``: go on after a pause or a hold, from the run's record alone."""

import click

from bridgehead.app.asking import Asker, Outcome
from bridgehead.app.going_on import BadNames, Unanswered, Ways, go_on
from bridgehead.app.loop import Stopped
from bridgehead.app.pause import NotOpen
from bridgehead.app.subject import Subject
from bridgehead.cli.answers import answered, not_now
from bridgehead.cli.asker import asker_options
from bridgehead.cli.bounds import Bounds, bounds_options
from bridgehead.cli.endings import stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.next_commands import ways_on
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.place import Place
from bridgehead.cli.state_namespace import state_namespace_option
from bridgehead.cli.subject import Named, read_subject, subject_options
from bridgehead.cli.surroundings import run_here


@click.command(epilog="Example:  bridgehead resume daemonset/gpu/plugin --without node-17")
@subject_options
@cluster_options
@output_option("text", "json")
@state_namespace_option
@click.option(
    "--without", multiple=True, metavar="NODE", help="Leave this node out; may be repeated."
)
@click.option(
    "--retry", multiple=True, metavar="NODE", help="Change this node once more; may be repeated."
)
@bounds_options
@asker_options
def resume(
    named: Named,
    cluster: ClusterOptions,
    output: str,
    state_namespace: str,
    without: tuple[str, ...],
    retry: tuple[str, ...],
    bounds: Bounds,
    asker: Asker,
) -> Exit:
    """Go on with a run that pauses, holds, or was left by its runner, to its ending.

    Needs no spec: all is in the run's record. After a hold every node that failed is named with
    `--without` or `--retry`; else exit 2, nothing changed. Other exits are those of `rollout`.
    """
    subject = read_subject(named)
    if isinstance(subject, Exit):
        return subject
    place = Place(cluster, state_namespace)
    ways = Ways(without=without, retry=retry)
    result = run_here(_run(subject, place, ways, asker, bounds))
    where = place.as_arguments
    again = f"bridgehead resume{named.as_argument}{bounds.as_arguments}{where}"
    if isinstance(result, tuple):
        return stopped(*result, output, again)
    match result:
        case BadNames(run=run, problems=problems):
            why, then = "; ".join(problems), f"bridgehead status {run.name}{where}"
            return not_now(run, why, output, Exit.USAGE, then)
        case Unanswered(run=run, nodes=nodes):
            why = f"run {run.name} holds: say what is to become of {', '.join(nodes)}"
            return not_now(run, why, output, Exit.USAGE, ways_on(run, where))
        case _:
            return answered(result, output, again, where)


async def _run(
    subject: Subject,
    place: Place,
    ways: Ways,
    asker: Asker,
    bounds: Bounds,
) -> Outcome | NotOpen | Unanswered | BadNames | tuple[Stopped, Exit]:
    """The result, or the stop and the exit code of the signal that asked for it."""
    async with place.runner(subject, bounds) as (session, stop):
        return await stop.result_of(go_on(session, subject, ways, asker))
