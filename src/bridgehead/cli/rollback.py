"""``bridgehead rollback``: bring the former version back."""

import asyncio

import click

from bridgehead.app.loop import Stopped
from bridgehead.app.rollback import NothingToTakeBack
from bridgehead.app.rollback import rollback as take_back
from bridgehead.app.rollout import Busy, Options, RolloutResult
from bridgehead.app.runner import Ended
from bridgehead.app.subject import Subject, component_of
from bridgehead.cli.endings import conclude, stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.say import next_step, say
from bridgehead.cli.sessions import runner
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.cli.subject import Named, read_subject, subject_options


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

    Exit 0 when the former version is back and verified, 4 if a person must look.
    """
    subject = read_subject(named)
    if isinstance(subject, Exit):
        return subject
    where = as_arguments(cluster, state_namespace)
    again = f"bridgehead rollback{named.as_argument}{where}{' --detach' if detach else ''}"
    result = asyncio.run(_run(subject, cluster, state_namespace, Options(detach=detach)))
    if isinstance(result, tuple):
        return stopped(*result, output, again)
    if isinstance(result, NothingToTakeBack):
        ref = result.component
        say(
            f"error: no run of {ref} in namespace {state_namespace} has changed anything: there is "
            "nothing to take back"
        )
        next_step(f"bridgehead status {ref}{where}")
        return Exit.FINDINGS
    code = conclude(result, output, again, where)
    taken_back = isinstance(result, Ended) and code is Exit.ROLLED_BACK
    return Exit.DONE if taken_back else code


async def _run(
    subject: Subject, cluster: ClusterOptions, state_namespace: str, options: Options
) -> RolloutResult | NothingToTakeBack | tuple[Stopped, Exit]:
    """The result, or the stop and the exit code of the signal that asked for it."""
    async with runner(cluster, state_namespace) as (session, stop):
        try:
            ref = await component_of(session, subject)
            return ref if isinstance(ref, Busy) else await take_back(session, ref, options)
        except Stopped as stopping:
            return stopping, stop.exit
