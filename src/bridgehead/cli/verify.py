"""``bridgehead verify``: does every node offer what it should?"""

from pathlib import Path

import click
import msgspec

from bridgehead.app.component_ref import BadReferenceError, parse_component
from bridgehead.app.expectation import LookTiming
from bridgehead.app.loop import Stopped
from bridgehead.app.planning import Planned
from bridgehead.app.recorded import read_recorded
from bridgehead.app.verify import Verification, VerifyOptions
from bridgehead.app.verify import verify as verify_nodes
from bridgehead.cli.durations import duration_option
from bridgehead.cli.endings import stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.inventory import incomplete
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.plan import show_planned
from bridgehead.cli.say import next_step, show
from bridgehead.cli.sessions import runner
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.cli.surroundings import run_here
from bridgehead.core.model.durations import duration_text
from bridgehead.core.plan.settings import ComponentRef, VerifySettings
from bridgehead.report.inventory import pretty_json
from bridgehead.report.verification import is_good, verification_json, verification_text


@click.command(epilog="Example:  bridgehead verify daemonset/gpu/nvidia-device-plugin")
@click.argument("component", metavar="COMPONENT")
@cluster_options
@output_option("text", "json")
@state_namespace_option
@click.option(
    "--baseline",
    type=click.Path(exists=True, path_type=Path),
    help="A saved inventory that says what each node should offer (default: the last run).",
)
@click.option("--probe", is_flag=True, help="Also start a pod per node where a device is free.")
@duration_option("--settle", "How long the devices must be steady (default: 30s).")
@duration_option("--status-period", "How often kubelets report their node (default: 10s).")
def verify(
    component: str,
    cluster: ClusterOptions,
    output: str,
    state_namespace: str,
    baseline: Path | None,
    probe: bool,
    settle: float | None,
    status_period: float | None,
) -> Exit:
    """Ask every gate of every node. Reads only, unless --probe is given.

    Exit 1 if a node fails, 8 if something could not be read.
    """
    try:
        ref = parse_component(component)
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error
    _check_timing(settle, status_period)
    options = VerifyOptions(
        baseline=read_recorded(baseline, None).snapshot if baseline else None,
        probe=probe,
        timing=LookTiming(settle=settle, status_period=status_period),
    )
    what = f"{ref}{as_arguments(cluster, state_namespace)}"
    found = run_here(_run(ref, cluster, state_namespace, options))
    if isinstance(found, tuple):
        return stopped(*found, output, f"bridgehead verify {what}")
    return _tell(found, output, what)


def _check_timing(settle: float | None, status_period: float | None) -> None:
    """Two equal looks are the least that says anything, and a look needs a status period."""
    defaults = VerifySettings()
    period = status_period or defaults.status_period
    if (settle or defaults.settle) < 2 * period:
        raise click.UsageError(
            f"--settle must be at least two status periods, {duration_text(2 * period)}; kubelets "
            "that report more often are named with --status-period"
        )


async def _run(
    ref: ComponentRef, cluster: ClusterOptions, state_namespace: str, options: VerifyOptions
) -> Verification | Planned | tuple[Stopped, Exit]:
    async with runner(cluster, state_namespace) as (session, stop):
        return await stop.result_of(verify_nodes(session, ref, options))


def _tell(found: Verification | Planned, output: str, what: str) -> Exit:
    if isinstance(found, Planned):
        return show_planned(found, output, f"bridgehead verify {what}")
    if output == "json":
        unread = msgspec.to_builtins(found.unread)
        show(pretty_json(verification_json(found.component, found.basis, found.nodes, unread)))
    else:
        show(verification_text(found.component, found.basis, found.nodes))
    if not is_good(found.nodes):
        next_step(f"bridgehead status {what}; the proof above names the place to look")
        return Exit.FINDINGS
    if found.unread:
        return incomplete(found.unread)
    next_step(f"bridgehead journal {what}")
    return Exit.DONE
