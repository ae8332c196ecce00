"""``bridgehead journal``: what a run did, when, for whom, and with what result."""

import asyncio

import click
import msgspec

from bridgehead.app.component_ref import BadReferenceError, RunName, parse_subject
from bridgehead.app.status import newest_run
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.sessions import client
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.report.entry_text import clock_time, entry_lines
from bridgehead.report.inventory import pretty_json

SCHEMA = "bridgehead.dev/journal/v1"


@click.command(epilog="Example:  bridgehead journal daemonset/gpu/nvidia-device-plugin")
@click.argument("subject", metavar="COMPONENT|RUN")
@cluster_options
@output_option("text", "json")
@state_namespace_option
def journal(subject: str, cluster: ClusterOptions, output: str, state_namespace: str) -> Exit:
    """Print a run's records; of a component, its newest run's. Reads only.

    The chain of digests is checked: a record that was changed is an error.
    """
    try:
        wanted = parse_subject(subject)
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error
    entries = asyncio.run(_read(cluster, state_namespace, wanted))
    where = as_arguments(cluster, state_namespace)
    if not entries:
        say(f"error: {subject} has no run in namespace {state_namespace}")
        next_step(f"bridgehead status{where}")
        return Exit.FINDINGS
    show(_json(entries) if output == "json" else _text(entries))
    next_step(f"bridgehead status {entries[0].run}{where}")
    return Exit.DONE


async def _read(
    cluster: ClusterOptions, state_namespace: str, subject: ComponentRef | RunName
) -> tuple[Entry, ...] | None:
    async with client(cluster) as kube:
        store = RunStore(kube, state_namespace)
        run = subject.name if isinstance(subject, RunName) else await newest_run(store, subject)
        return await store.entries(run) if run else None


def _text(entries: tuple[Entry, ...]) -> str:
    lines: list[str] = []
    for entry in entries:
        first, *proof = entry_lines(entry) or ("",)
        if first:
            lines.extend((f"{entry.time[:10]} {clock_time(entry)}  {first}", *proof))
    if entries:
        last = entries[-1]
        who = f", owner {last.owner}" if last.owner else ""
        lines.append(f"{last.seq} records by {last.identity}{who}; head {last.digest}")
    return "".join(f"{line}\n" for line in lines)


def _json(entries: tuple[Entry, ...]) -> str:
    found: JsonObject = {
        "schema": SCHEMA,
        "unread": [],
        "entries": msgspec.to_builtins(entries),
    }
    return pretty_json(found)
