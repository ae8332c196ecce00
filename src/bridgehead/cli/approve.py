"""``bridgehead approve``: consent to go on at the point where a run waits."""

import click
import msgspec

from bridgehead.app.approve import Awaited, NotAwaited, what_is_awaited
from bridgehead.app.approve import approve as consent
from bridgehead.app.asking import Asked, Asker
from bridgehead.app.loop import Stopped
from bridgehead.app.pause import NotOpen
from bridgehead.app.session import Session
from bridgehead.app.subject import Subject
from bridgehead.cli.answers import answered, not_now
from bridgehead.cli.asker import asker_options
from bridgehead.cli.durations import duration_option
from bridgehead.cli.endings import stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.place import Place
from bridgehead.cli.say import say
from bridgehead.cli.state_namespace import state_namespace_option
from bridgehead.cli.subject import Named, read_subject, subject_options
from bridgehead.cli.surroundings import run_here
from bridgehead.report.approval import approval_of, approval_text


@click.command(epilog="Example:  bridgehead approve daemonset/gpu/plugin --expires 2h")
@subject_options
@cluster_options
@output_option("text", "json")
@state_namespace_option
@click.option(
    "--point",
    metavar="POINT",
    help="afterCanary or beforeWave:N; anything but the point that is waited for is refused.",
)
@duration_option("--expires", "The approval counts only for this long from now.")
@asker_options
def approve(
    named: Named,
    cluster: ClusterOptions,
    output: str,
    state_namespace: str,
    point: str | None,
    expires: float | None,
    asker: Asker,
) -> Exit:
    """Show what waits for consent, and give it in the name that the API server knows you by.

    The approval binds the change, the kinds of nodes and the placement that are shown. Exit 1
    where the run does not wait for it. It does not go on by itself: `bridgehead resume` does.
    """
    subject = read_subject(named)
    if isinstance(subject, Exit):
        return subject
    place = Place(cluster, state_namespace)
    result = run_here(_run(subject, place, _Given(point, expires, asker)))
    where = place.as_arguments
    again = f"bridgehead approve{named.as_argument}{where}"
    if isinstance(result, tuple):
        return stopped(*result, output, again)
    if isinstance(result, NotAwaited):
        then = f"bridgehead status {result.run.name}{where}"
        return not_now(result.run, result.why, output, Exit.FINDINGS, then)
    return answered(result, output, again, where)


class _Given(msgspec.Struct, frozen=True):
    point: str | None
    expires: float | None
    asker: Asker


async def _run(
    subject: Subject, place: Place, given: _Given
) -> Asked | NotAwaited | NotOpen | tuple[Stopped, Exit]:
    """What was given, or why not, or the stop and the exit code of the signal that asked for it."""
    async with place.runner(subject) as (session, stop):
        return await stop.result_of(_show_and_consent(session, subject, given))


async def _show_and_consent(
    session: Session, subject: Subject, given: _Given
) -> Asked | NotAwaited | NotOpen:
    found = await what_is_awaited(session, subject, given.point)
    if not isinstance(found, Awaited):
        return found
    say(approval_text(approval_of(found.run, found.point)))
    if found.alone:
        say(
            f"warning: twoPeople asks for two, and {found.approver} runs it too: "
            "the approval counts only once somebody else goes on with the run"
        )
    return await consent(session, found, expires_in=given.expires, asker=given.asker)
