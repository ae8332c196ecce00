"""``bridgehead rollout``: change the component, node by node, and take it back if it is bad."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgehead.app.loop import Stopped
from bridgehead.app.recover_after import after_a_stop
from bridgehead.app.rollout import Options, RolloutResult
from bridgehead.app.rollout import rollout as roll_out
from bridgehead.app.runner import Ended
from bridgehead.app.session import Session
from bridgehead.cli.bounds import Bounds, bounds_options
from bridgehead.cli.endings import conclude, stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.place import Place
from bridgehead.cli.rule_diagnosis import anew
from bridgehead.cli.spec_file import read_spec_or_tell, spec_option
from bridgehead.cli.state_namespace import state_namespace_option
from bridgehead.cli.surroundings import run_here

if TYPE_CHECKING:
    from bridgehead.spec import SpecAccepted


@click.command(epilog="Example:  bridgehead rollout -f bridgehead.yaml --context production")
@spec_option
@cluster_options
@output_option("text", "json")
@state_namespace_option
@click.option("--detach", is_flag=True, help="Change it although somebody else owns it.")
@click.option("--retry-held", is_flag=True, help="Try a change again that failed before.")
@bounds_options
def rollout(
    path: Path,
    cluster: ClusterOptions,
    output: str,
    state_namespace: str,
    detach: bool,
    retry_held: bool,
    bounds: Bounds,
) -> Exit:
    """Canary, verify, soak, waves; a failed canary takes everything back.

    The same command goes on with an interrupted run. Exit 0 done, 1 refused (nothing changed),
    3 failed and taken back, 4 a person must look, 5 it waits (approval, pause, window, --for),
    7 another run holds the component.
    """
    accepted = read_spec_or_tell(path)
    if isinstance(accepted, Exit):
        return accepted
    insisting = "".join(
        word for word, on in ((" --detach", detach), (" --retry-held", retry_held)) if on
    )
    options = Options(detach=detach, retry_held=retry_held)
    place = Place(cluster, state_namespace)
    result = run_here(_run(accepted, place, options, bounds))
    where = place.as_arguments
    again = f"bridgehead rollout -f {path}{bounds.as_arguments}{where}{insisting}"
    if isinstance(result, tuple):
        return stopped(*result, output, again)
    return conclude(result, output, again, where)


async def _run(
    accepted: "SpecAccepted", place: Place, options: Options, bounds: Bounds
) -> RolloutResult | tuple[Stopped, Exit]:
    """The result, or the stop and the exit code of the signal that asked for it."""
    async with place.runner(accepted.spec, bounds) as (session, stop):
        return await stop.result_of(_to_its_end(session, accepted, options))


async def _to_its_end(
    session: Session, accepted: "SpecAccepted", options: Options
) -> RolloutResult:
    """The rollout and, where its spec allows it, what may be repaired after it has stopped."""
    result = await roll_out(session, accepted.spec, accepted.text, options)
    if isinstance(result, Ended):
        ref = accepted.spec.component
        await after_a_stop(session, result, anew(ref))
    return result
