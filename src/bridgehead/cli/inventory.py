"""``bridgehead inventory``: what runs where; and how two inventories differ."""

from pathlib import Path

import click

from bridgehead.app.recorded import read_recorded
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import (
    ClusterOptions,
    StateOptions,
    namespace_option,
    output_option,
    state_options,
)
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.sessions import client
from bridgehead.cli.surroundings import here, run_here
from bridgehead.cluster.read import read_snapshot
from bridgehead.core.inventory.build import build_inventory
from bridgehead.core.inventory.drift import drift
from bridgehead.core.inventory.record import record
from bridgehead.core.model.problem import problems_text
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.report import inventory as report

_TEXT = {
    "text": report.inventory_text,
    "json": report.inventory_json,
    "markdown": report.inventory_markdown,
}


@click.group(
    invoke_without_command=True,
    epilog="Example:  bridgehead inventory --context staging --save before.json",
)
@namespace_option
@state_options
@output_option(*_TEXT)
@click.option(
    "--save",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Also write the inventory with a trimmed snapshot to this file.",
)
@click.pass_context
def inventory(
    context: click.Context, state: StateOptions, output: str, save: Path | None
) -> Exit | None:
    """Show nodes, cohorts, device plugins and devices. Reads only.

    Exit 6 if nodes cannot be read, 8 if something else that is needed cannot.
    """
    if context.invoked_subcommand is not None:
        context.obj = state
        return None
    snapshot = read_state(state)
    found = build_inventory(snapshot)
    show(_TEXT[output](found))
    if save:
        _save(save, report.pretty_json(record(snapshot, found)))
    if found.unread:
        return incomplete(found.unread)
    reference = save or state.recording
    next_step(
        f"bridgehead inventory diff {reference}, to compare with a cluster"
        if reference
        else f"bridgehead inventory{state.as_arguments} --save FILE, to compare with later"
    )
    return Exit.DONE


@inventory.command(epilog="Example:  bridgehead inventory diff before.json")
@click.argument("before", type=click.Path(exists=True, path_type=Path))
@click.argument("after", type=click.Path(exists=True, path_type=Path), required=False)
@output_option("text", "json", "markdown")
@click.pass_obj
def diff(state: StateOptions, before: Path, after: Path | None, output: str) -> Exit:
    """Compare a saved inventory with another one, or with the cluster as it is now.

    Both may be folders of YAML as well. Compared are images, digests, revisions, versions, devices,
    labels and cohorts; never use, pod names and ages. Exit 1 if they differ.
    """
    old = build_inventory(_recorded(before, None))
    new = build_inventory(_recorded(after, None) if after else read_state(state))
    differences = drift(old, new)
    unread = tuple(dict.fromkeys((*old.unread, *new.unread)))
    match output:
        case "json":
            text = report.drift_json(differences, unread)
        case "markdown":
            text = report.drift_markdown(differences)
        case _:
            text = report.drift_text(differences)
    show(text)
    if differences:
        next_step(
            f"bridgehead inventory{state.as_arguments} --save FILE, once this is as it should be"
        )
        return Exit.FINDINGS
    if unread:
        return incomplete(unread)
    next_step(f"bridgehead inventory{state.as_arguments}")
    return Exit.DONE


def read_state(state: StateOptions) -> Snapshot:
    """The snapshot that the options ask for."""
    if state.recording is not None:
        return _recorded(state.recording, state.at)
    found: list[Snapshot] = []
    run_here(_read_into(found, state.cluster))
    return found[0]


async def _read_into(found: list[Snapshot], cluster: ClusterOptions) -> None:
    """Read the cluster; the snapshot goes into ``found``, not into the task's result.

    At its end ``asyncio.run`` asks for the signal handler, and that makes a text of the handler and
    so of the task's result (``signal.getsignal``, Python 3.11): a second for a large snapshot.
    """
    async with client(cluster) as kube:
        now, namespaces = here().clock(), cluster.namespaces
        found.append(await read_snapshot(kube, now=now, namespaces=namespaces))


def incomplete(unread: tuple[Unread, ...]) -> Exit:
    """The ending of a command that could not read everything."""
    for item in unread:
        say(f"not read: {item.what}: {item.why}")
    grants = sorted({item.grant for item in unread if item.grant})
    if grants:
        next_step(f"grant: {', '.join(grants)}; then the same command again")
    else:
        next_step("see to what was not read; then the same command again")
    return Exit.CANNOT if any(item.what == "nodes" for item in unread) else Exit.INCOMPLETE


def _save(path: Path, content: str) -> None:
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from error
    say(f"saved to {path}")


def _recorded(path: Path, at: float | None) -> Snapshot:
    recorded = read_recorded(path, at)
    if recorded.problems:
        say(problems_text(recorded.problems).rstrip())
    return recorded.snapshot
