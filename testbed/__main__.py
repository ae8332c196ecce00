"""The command line: `uv run python -m testbed COMMAND`; `--help` lists the commands."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import click

from testbed import watchdog
from testbed.api_description import describe
from testbed.api_types import describe_types
from testbed.cluster import Cluster
from testbed.errors import TestbedError
from testbed.parts import binary, earlier_releases, parts
from testbed.self_healing import ARGO_CD, PERIOD, self_healing
from testbed.state import all_states, state_of
from testbed.system import what_is_missing
from testbed.walkthrough.play import play

_name = click.option("--name", default="default", show_default=True, help="Name of the cluster.")


@click.group()
def main() -> None:
    """A real Kubernetes cluster on this machine, for tests."""


@main.command()
@click.argument("names", nargs=-1)
def build(names: tuple[str, ...]) -> None:
    """Build what is not built yet (all parts, or the named ones), and say what else is missing.

    From an empty cache this takes about 15 minutes on two cores. Earlier Kubernetes releases, such
    as kubernetes-1.30, are built only where they are named.
    """
    earlier = {item.name: item for item in earlier_releases().values() if item.name in names}
    for name, part in {**parts(), **earlier}.items():
        if names and name not in names:
            continue
        begin = time.monotonic()
        fresh = part.built() is None
        folder = part.build()
        took = f"built in {time.monotonic() - begin:.0f} s" if fresh else "already built"
        click.echo(f"{name}: {took}: {folder}")
    reasons = what_is_missing()
    for reason in reasons:
        click.echo(reason, err=True)
    if reasons:
        sys.exit(1)


@main.command("describe-api")
@_name
@click.argument("folder", type=click.Path(path_type=Path))
def describe_api(name: str, folder: Path) -> None:
    """Write down what the API server says of itself; the twin serves the same."""
    for file in describe(state_of(name), folder):
        click.echo(file)


@main.command("describe-types")
@click.argument("folder", type=click.Path(path_type=Path))
def describe_the_types(folder: Path) -> None:
    """Write down the Go types of the API; the twin decodes and encodes as they do."""
    click.echo(describe_types(folder))


@main.command()
@_name
@click.option("--nodes", default=3, show_default=True, help="Number of real nodes.")
@click.option("--kwok", default=0, show_default=True, help="Number of simulated nodes.")
@click.option(
    "--release",
    type=click.Choice(sorted(earlier_releases())),
    help="An earlier Kubernetes release for control plane and kubelets.",
)
def up(name: str, nodes: int, kwok: int, release: str | None) -> None:
    """Start a cluster in the background and print the path of its kubeconfig."""
    begin = time.monotonic()
    cluster = Cluster(name).start(nodes, kwok, release=release or "")
    click.echo(f"ready in {time.monotonic() - begin:.1f} s", err=True)
    click.echo(cluster.kubeconfig)


@main.command()
@_name
def down(name: str) -> None:
    """End a cluster and remove everything that it left; fine when there is none."""
    Cluster(name).stop()


@main.command()
def status() -> None:
    """Show all clusters of this machine, their nodes and processes."""
    for state in all_states():
        cluster = Cluster(state.name)
        if not cluster.running or not cluster.api.ready():
            click.echo(f"{state.name}: does not answer; end it: testbed down --name {state.name}")
            continue
        ready = cluster.ready_nodes()
        click.echo(f"{state.name}: {cluster.kubeconfig}")
        for node in cluster.nodes.values():
            word = "Ready" if node.name in ready else "NotReady"
            pids = f"kubelet {node.kubelet.pid or '-'}, containerd {node.containerd.pid or '-'}"
            click.echo(f"  {node.name} {node.address} {word} ({pids})")
        simulated = len(ready - set(cluster.nodes))
        if simulated:
            click.echo(f"  and {simulated} simulated nodes Ready")


@main.command()
@click.option("--keep", is_flag=True, help="Leave the cluster running afterwards.")
def walkthrough(keep: bool) -> None:
    """Roll out a good and a bad plugin version over four real kubelets, and watch.

    Builds what is missing first. Ends and removes its cluster, also when interrupted.
    """
    play(keep=keep)


@main.command(context_settings={"ignore_unknown_options": True})
@_name
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def kubectl(name: str, arguments: tuple[str, ...]) -> None:
    """Run kubectl as the cluster's administrator."""
    command = str(binary("kubernetes", "kubectl"))
    configuration = str(Cluster(name).kubeconfig)
    os.execv(command, [command, "--kubeconfig", configuration, *arguments])


@main.command()
@_name
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
@click.option("--manager", default=ARGO_CD, show_default=True, help="Its field manager.")
@click.option("--every", default=PERIOD, show_default=True, help="Seconds between two rounds.")
def reconcile(name: str, folder: str, manager: str, every: float) -> None:
    """Put a folder of manifests back again and again, as a GitOps tool does; until interrupted."""
    controller = self_healing(state_of(name), Path(folder), manager=manager, period=every)
    os.execvp(controller.argv[0], controller.argv)


@main.command(hidden=True)
@click.argument("name")
def watch(name: str) -> None:
    """Wait for the end of a cluster's owner, then remove the cluster."""
    watchdog.watch(name)


if __name__ == "__main__":
    try:
        main()
    except TestbedError as error:
        click.echo(f"error: {error}", err=True)
        sys.exit(1)
