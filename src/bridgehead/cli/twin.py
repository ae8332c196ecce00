"""``bridgehead twin``: a simulated cluster for kubectl, helm and any client."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgehead.cli.exits import Exit
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.signals import stop_on_signals

if TYPE_CHECKING:
    from bridgehead.app.twin import Wanted
    from bridgehead.twin.seeding.seed import Seed
    from bridgehead.twin.serving import Served

KUBECONFIG = Path("twin.kubeconfig")


@click.command(epilog="Example:  bridgehead twin --nodes 20 --kubeconfig-out twin.kubeconfig")
@click.option(
    "--from",
    "recording",
    type=click.Path(exists=True, path_type=Path),
    help="Begin as this inventory file or folder of objects was recorded.",
)
@click.option("--nodes", type=click.IntRange(min=0), help="Else: so many made-up nodes.  [3]")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0: any that is free.")
@click.option(
    "--listen",
    metavar="ADDRESS",
    default="127.0.0.1",
    show_default=True,
    help="Whoever has the kubeconfig may do everything in the twin.",
)
@click.option(
    "--kubeconfig-out",
    type=click.Path(dir_okay=False, path_type=Path),
    default=KUBECONFIG,
    show_default=True,
    help="Where to write the kubeconfig; removed at the end.",
)
@click.option(
    "--speed",
    type=click.FloatRange(min=0, min_open=True, max=1000),
    default=1.0,
    help="Simulated seconds in a second.",
)
@click.option(
    "--fault",
    "faults",
    metavar="FAULT",
    multiple=True,
    help="What an image does wrong, such as image=plugin:2.0,devices=0 (docs/rehearse.md).",
)
@click.option("--seed", type=int, default=0, help="What is left to chance follows from it.")
def twin(
    recording: Path | None,
    nodes: int | None,
    port: int,
    listen: str,
    kubeconfig_out: Path,
    speed: float,
    faults: tuple[str, ...],
    seed: int,
) -> Exit:
    """Serve a cluster that is simulated in this process, until interrupted.

    It has an API server, the usual controllers, a scheduler, and nodes with kubelets and device
    plugins. Nothing outside is touched. It always asks for the token that its kubeconfig holds.
    """
    if recording is not None and nodes is not None:
        raise click.UsageError("--from says which nodes there are: leave --nodes out")
    if kubeconfig_out.exists():
        say(f"error: {kubeconfig_out} is there already, and is not overwritten")
        next_step(f"remove it, or: bridgehead twin --kubeconfig-out {kubeconfig_out}.new")
        return Exit.USAGE
    cluster = _seed(recording, 3 if nodes is None else nodes)
    if isinstance(cluster, Exit):
        return cluster
    from bridgehead.app.twin import Wanted, laid  # noqa: PLC0415 - help cannot wait for the twin
    from bridgehead.twin.faults.text import FaultError, parse_fault  # noqa: PLC0415

    try:
        wrong = tuple(map(parse_fault, faults))
        laid(wrong)
    except FaultError as error:
        say(f"error: {error}")
        next_step("bridgehead twin --help, or docs/rehearse.md for all faults")
        return Exit.USAGE
    wanted = Wanted(host=listen, port=port, speed=speed, faults=wrong, seed=seed)
    try:
        return asyncio.run(_serve(cluster, wanted, kubeconfig_out))
    finally:
        kubeconfig_out.unlink(missing_ok=True)


def _seed(recording: Path | None, nodes: int) -> "Seed | Exit":
    from bridgehead.twin.seeding.generic import generic_seed  # noqa: PLC0415
    from bridgehead.twin.seeding.recorded import seed_of  # noqa: PLC0415

    if recording is None:
        return generic_seed(nodes, at=time.time())
    from bridgehead.app.rehearse_state import recorded_state  # noqa: PLC0415
    from bridgehead.core.model.problem import problems_text  # noqa: PLC0415

    state = recorded_state(recording, None)
    if state.problems:
        say(problems_text(state.problems))
    if not state.objects:
        say(f"error: there are no objects in {recording}")
        next_step("bridgehead inventory --save cluster.json, then: bridgehead twin --from ...")
        return Exit.USAGE
    found = seed_of([dict(item) for item in state.objects], at=state.snapshot.at)
    for line in found.assumptions:
        say(f"assumed: {line}")
    return found


async def _serve(cluster: "Seed", wanted: "Wanted", file: Path) -> Exit:
    from bridgehead.app.twin import serve  # noqa: PLC0415
    from bridgehead.twin.serving import NoCryptographyError  # noqa: PLC0415

    def ready(served: "Served", left_out: Sequence[str]) -> None:
        file.touch(mode=0o600)
        file.write_text(served.kubeconfig, encoding="utf-8")
        for line in left_out:
            say(f"warning: {line}")
        say(f"serving {len(cluster.machines)} nodes at {served.address}; Ctrl-C ends it")
        next_step(f"kubectl --kubeconfig {file} get nodes")
        show(str(file))

    with stop_on_signals(_Told()) as stop:
        try:
            await serve(cluster, wanted, ready, stop.event)
        except NoCryptographyError as error:
            say(f"error: {error}")
            next_step("pip install 'bridgehead[serve]', then the same command again")
            return Exit.CANNOT
        except OSError as error:
            say(f"error: cannot listen on {wanted.host}:{wanted.port}: {error.strerror or error}")
            next_step("the same command with another --port, or without it for any free one")
            return Exit.CANNOT
    return Exit.DONE


class _Told:
    """What is said at signals."""

    def first(self) -> None:
        """Requests under way get a moment."""
        say("stopping")

    def second(self) -> None:
        """At once."""
        say("stopped at once")
