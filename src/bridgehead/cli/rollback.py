"""``bridgehead rollback``: bring the former version back."""

import click

from bridgehead.app.loop import Stopped
from bridgehead.app.rollback import NothingToTakeBack
from bridgehead.app.rollback import rollback as take_back
from bridgehead.app.rollout import Options, RolloutResult
from bridgehead.app.runner import Ended
from bridgehead.app.subject import Subject
from bridgehead.cli.endings import as_ended, conclude, not_begun, stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.place import Place
from bridgehead.cli.say import next_step, say
from bridgehead.cli.state_namespace import state_namespace_option
from bridgehead.cli.subject import Named, read_subject, subject_options
from bridgehead.cli.surroundings import run_here
from bridgehead.core.rollout.run import Run


@click.command(epilog="Example:  bridgehead rollback daemonset/gpu/nvidia-device-plugin")
@subject_options
@cluster_options
@output_option("text", "json")
@state_namespace_option
@click.option("--detach", is_flag=True, help="Change it although somebody else owns it.")
def rollback(
    named: Named, cluster: ClusterOptions, output: str, state_namespace: str, detach: bool
) -> Exit:
    """Take back an open run; after a finished one, roll its former version out again.

    It is the component's newest run that is meant; another, or a rollback itself, is taken back
    only where it is named. Exit 0 when the former version is back and verified, 1 if there is
    nothing to take back, 3 if bringing it back failed, 4 if a person must look.
    """
    subject = read_subject(named)
    if isinstance(subject, Exit):
        return subject
    place = Place(cluster, state_namespace)
    result = run_here(_run(subject, place, Options(detach=detach)))
    where = place.as_arguments
    again = f"bridgehead rollback{named.as_argument}{where}{' --detach' if detach else ''}"
    if isinstance(result, tuple):
        return stopped(*result, output, again)
    if isinstance(result, NothingToTakeBack):
        return _nothing(result, place.state_namespace, where, output)

    def of_a_rollback(ended: Ended) -> Exit:
        code = as_ended(ended)
        back = code is Exit.ROLLED_BACK and is_back(ended.run, named.text)
        return Exit.DONE if back else code

    return conclude(result, output, again, where, of_a_rollback)


def is_back(run: Run, named: str | None) -> bool:
    """Whether a run that was taken back is what was asked for.

    A run that was to bring a former version back, and was taken back itself as it failed, is not.
    """
    return not run.plan.spec.undoes or run.name == named


def _nothing(result: NothingToTakeBack, state_namespace: str, where: str, output: str) -> Exit:
    ref, absent = result.component, result.absent
    if absent is not None:
        not_begun(output, Exit.FINDINGS, absent.message)
        next_step(absent.remedy)
        return Exit.FINDINGS
    why = result.why or (
        f"no run of {ref} in namespace {state_namespace} has changed anything: there is "
        "nothing to take back"
    )
    not_begun(output, Exit.FINDINGS, why, run=result.run)
    if result.other:
        next_step(f"if it is run {result.other} that you mean: {_by_name(result.other, where)}")
    elif result.run:
        say("an older run is taken back only where it is named in place of the component")
        next_step(f"bridgehead journal {result.run}{where}")
    else:
        next_step(f"bridgehead status {ref}{where}")
    return Exit.FINDINGS


def _by_name(run: str, where: str) -> str:
    return f"bridgehead rollback {run}{where}"


async def _run(
    subject: Subject, place: Place, options: Options
) -> RolloutResult | NothingToTakeBack | tuple[Stopped, Exit]:
    """The result, or the stop and the exit code of the signal that asked for it."""
    async with place.runner(subject) as (session, stop):
        return await stop.result_of(take_back(session, subject, options))
