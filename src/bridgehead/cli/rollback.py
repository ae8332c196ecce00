"""``bridgehead rollback``: bring the former version back."""

import asyncio

import click

from bridgehead.app.component_ref import BadReferenceError, parse_component
from bridgehead.app.loop import Stopped
from bridgehead.app.rollback import NothingToTakeBack
from bridgehead.app.rollback import rollback as take_back
from bridgehead.app.rollout import Options
from bridgehead.app.runner import Ended
from bridgehead.cli.endings import conclude, stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.say import next_step, say
from bridgehead.cli.sessions import runner
from bridgehead.cli.state_namespace import state_namespace_option
from bridgehead.core.plan.settings import ComponentRef


@click.command(epilog="Example:  bridgehead rollback daemonset/gpu/nvidia-device-plugin")
@click.argument("component", metavar="COMPONENT")
@cluster_options
@output_option("text", "json")
@state_namespace_option
@click.option("--detach", is_flag=True, help="Change it although somebody else owns it.")
def rollback(
    component: str, cluster: ClusterOptions, output: str, state_namespace: str, detach: bool
) -> Exit:
    """Take back an open run; after a finished one, roll its former version out again.

    Exit 0 when the former version is back and verified, 4 if a person must look.
    """
    try:
        ref = parse_component(component)
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error
    again = f"bridgehead rollback {ref}{cluster.as_arguments}"
    return asyncio.run(_run(ref, cluster, output, state_namespace, again, detach=detach))


async def _run(
    ref: ComponentRef,
    cluster: ClusterOptions,
    output: str,
    state_namespace: str,
    again: str,
    *,
    detach: bool,
) -> Exit:
    async with runner(cluster, state_namespace) as (session, stop):
        try:
            result = await take_back(session, ref, Options(detach=detach))
        except Stopped as stopping:
            return stopped(stopping, stop.exit, again)
    if isinstance(result, NothingToTakeBack):
        say(f"error: no run of {ref} has changed anything: there is nothing to take back")
        next_step(f"bridgehead status {ref}{cluster.as_arguments}")
        return Exit.FINDINGS
    code = conclude(result, output, again, cluster.as_arguments)
    taken_back = isinstance(result, Ended) and code is Exit.ROLLED_BACK
    return Exit.DONE if taken_back else code
