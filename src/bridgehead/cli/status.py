"""``bridgehead status``: how runs stand, and what is left of them in the cluster."""

import asyncio

import click

from bridgehead.app.component_ref import BadReferenceError, RunName, parse_subject
from bridgehead.app.status import status as read_status
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.say import next_step, show
from bridgehead.cli.sessions import client
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rollout.standing import Standing
from bridgehead.report.inventory import pretty_json
from bridgehead.report.status import status_json, status_text


@click.command(epilog="Example:  bridgehead status daemonset/gpu/nvidia-device-plugin")
@click.argument("subject", metavar="[COMPONENT|RUN]", required=False)
@cluster_options
@output_option("text", "json")
@state_namespace_option
def status(subject: str | None, cluster: ClusterOptions, output: str, state_namespace: str) -> Exit:
    """Show open runs, or one component's or run's. Reads only."""
    try:
        wanted = parse_subject(subject) if subject else None
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error
    found = asyncio.run(_read(cluster, state_namespace, wanted))
    if output == "json":
        show(pretty_json(status_json(found)))
    else:
        show(status_text(found))
    next_step(_next(found, as_arguments(cluster, state_namespace)))
    return Exit.DONE


async def _read(
    cluster: ClusterOptions, state_namespace: str, subject: ComponentRef | RunName | None
) -> tuple[Standing, ...]:
    async with client(cluster) as kube:
        return await read_status(kube, state_namespace, subject)


def _next(found: tuple[Standing, ...], where: str) -> str:
    if not found:
        return f"bridgehead inventory{where}"
    first = found[0]
    if first.open and not first.holder:
        return f"bridgehead rollback {first.component}{where}, or the rollout's own command again"
    return f"bridgehead journal {first.run}{where}"
