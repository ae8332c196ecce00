"""``bridgehead release``: give back what a run has left behind."""

import asyncio

import click

from bridgehead.app.component_ref import BadReferenceError, parse_component
from bridgehead.app.loop import Stopped
from bridgehead.app.release import Released
from bridgehead.app.release import release as let_go
from bridgehead.cli.endings import stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.sessions import runner
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.settings import ComponentRef


@click.command(epilog="Example:  bridgehead release daemonset/gpu/nvidia-device-plugin --dry-run")
@click.argument("component", metavar="COMPONENT")
@cluster_options
@state_namespace_option
@click.option("--dry-run", is_flag=True, help="Only show what would be given back.")
def release(component: str, cluster: ClusterOptions, state_namespace: str, dry_run: bool) -> Exit:
    """Uncordon nodes and remove pods of runs that nobody goes on with; restore the strategy.

    Exit 4 where pods differ from the template: the strategy then stays OnDelete. Exit 6 where not
    all that it needs to see could be read: nothing is changed then. Exit 7 while a runner lives.
    """
    try:
        ref = parse_component(component)
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error
    released = asyncio.run(_run(ref, cluster, state_namespace, dry_run=dry_run))
    where = as_arguments(cluster, state_namespace)
    if isinstance(released, tuple):
        return stopped(*released, "text", f"bridgehead release {ref}{where}")
    return _tell(released, ref, where, dry_run=dry_run)


async def _run(
    ref: ComponentRef, cluster: ClusterOptions, state_namespace: str, *, dry_run: bool
) -> Released | tuple[Stopped, Exit]:
    """What was released, or the stop and the exit code of the signal that asked for it."""
    async with runner(cluster, state_namespace) as (session, stop):
        try:
            return await let_go(session, ref, dry_run=dry_run)
        except Stopped as stopping:
            return stopping, stop.exit


def _tell(released: Released, ref: ComponentRef, where: str, *, dry_run: bool) -> Exit:
    left = released.left
    if left.unread:
        return _unread(left.unread, ref)
    if left.nothing and not released.done:
        show(f"No run has left anything of {ref}.")
        next_step(f"bridgehead status {ref}{where}")
        return Exit.DONE
    if dry_run:
        for node in left.nodes:
            show(f"node/{node.name}: held by run {node.held_by}")
        for pod in left.pods:
            show(f"pod/{pod.ref}: a pod of a run")
        if left.component is not None:
            show(f"{ref}: {left.component.anchor}, {left.component.strategy_type}")
    for thing, what in released.done:
        show(f"{thing}: {what}")
    if left.component is not None and left.differing:
        return _mixed(left.differing, ref)
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


def _mixed(differing: tuple[tuple[str, str], ...], ref: ComponentRef) -> Exit:
    say(f"{ref} stays OnDelete: these pods are not of the template that stands")
    for node, revision in differing:
        say(f"  {node} -> {revision}")
    where = f"-n {ref.namespace}"
    next_step(
        f"delete those pods to bring them to the template: kubectl delete pod {where} POD; or put "
        f"the other template back: kubectl rollout undo ds/{ref.name} {where}; then release again"
    )
    return Exit.NEEDS_A_PERSON
