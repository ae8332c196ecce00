"""``bridgehead journal``: what a run did, when, for whom, with what result; and whether that holds.

Showing prints a segment of the journal at a time: that of a thousand nodes has tens of thousands
of records.
"""

import re

import click
import msgspec

from bridgehead.app.component_ref import BadReferenceError, RunName, parse_subject
from bridgehead.app.open_run import mark_of
from bridgehead.app.status import newest_run
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, cluster_options, output_option
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.sessions import client
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.cli.surroundings import run_here
from bridgehead.cli.with_default import GroupWithDefault
from bridgehead.cluster.names import recoveries_name
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Entry
from bridgehead.core.journal.verification import Anchored, Appended, Consistent, Verification
from bridgehead.core.journal.verification import verify as verify_journal
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.recover.past import STEP, past_of, without_verdict
from bridgehead.kube.client import Kube
from bridgehead.report.entry_text import clock_time, entry_lines
from bridgehead.report.inventory import pretty_json
from bridgehead.report.journal_verification import verification_json, verification_text
from bridgehead.report.plain import plain_line
from bridgehead.report.recovery import open_end_line

SCHEMA = "bridgehead.dev/journal/v1"

Subject = ComponentRef | RunName


@click.group(
    cls=GroupWithDefault,
    default="show",
    subcommand_metavar="COMPONENT|RUN | COMMAND ...",
    epilog="Example:  bridgehead journal daemonset/gpu/nvidia-device-plugin",
)
def journal() -> None:
    """Print a run's records; of a component, its newest run's and those of its recoveries.

    Or check that they are all there.
    """


@journal.command("show", epilog="Example:  bridgehead journal show gpu-plugin-20260131-120000")
@click.argument("subject", metavar="COMPONENT|RUN")
@cluster_options
@output_option("text", "json")
@state_namespace_option
def show_records(subject: str, cluster: ClusterOptions, output: str, state_namespace: str) -> Exit:
    """Print the records; this command's name may be left out. Reads only.

    The chain of digests is checked on the way: a record that was changed is an error.
    """
    state_namespace, last = run_here(_show(cluster, state_namespace, _subject(subject), output))
    where = as_arguments(cluster, state_namespace)
    if last is None:
        return _no_run(subject, state_namespace, where)
    about = subject if last.step == STEP else last.run
    next_step(f"bridgehead status {about}{where}")
    return Exit.DONE


@journal.command("verify", epilog="Example:  bridgehead journal verify RUN --head sha256:...")
@click.argument("subject", metavar="COMPONENT|RUN")
@click.option("--head", "asked", metavar="DIGEST", help="The head that an ending has printed.")
@cluster_options
@output_option("text", "json")
@state_namespace_option
def verify(
    subject: str,
    asked: str | None,
    cluster: ClusterOptions,
    output: str,
    state_namespace: str,
) -> Exit:
    """Check the chain of digests over all segments, and that it ends with the head. Reads only.

    Without `--head` a journal whose end was cut off, or all of which was written anew, passes.
    Exit 1 if it does not verify: the first bad record, or what was appended, cut off or replaced.
    """
    head = _digest(asked) if asked is not None else ""
    state_namespace, verified = run_here(_verify(cluster, state_namespace, _subject(subject), head))
    where = as_arguments(cluster, state_namespace)
    if verified is None:
        return _no_run(subject, state_namespace, where)
    run, found = verified
    if output == "json":
        show(pretty_json(verification_json(run, found)))
    else:
        show(verification_text(run, found))
    match found:
        case Consistent():
            next_step(f"bridgehead journal verify {run} --head DIGEST{where}, as an ending said")
        case Anchored():
            next_step(f"bridgehead journal {run}{where}")
        case Appended():
            next_step(f"bridgehead journal {run}{where}, to see what went on after that head")
        case _:
            next_step(
                "compare with the API server's audit log, which tells who wrote to the ConfigMaps "
                f"of run {run}"
            )
    return Exit.DONE if isinstance(found, Consistent | Anchored) else Exit.FINDINGS


def _subject(text: str) -> Subject:
    try:
        return parse_subject(text)
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error


def _digest(text: str) -> str:
    """The digest as records carry it; ``sha256:`` may be left out."""
    digits = text.removeprefix("sha256:")
    if not re.fullmatch("[0-9a-f]{64}", digits):
        raise click.UsageError(f"--head {text}: a digest is sha256: and 64 hexadecimal digits")
    return f"sha256:{digits}"


def _no_run(subject: str, state_namespace: str, where: str) -> Exit:
    say(f"error: {subject} has no run in namespace {state_namespace}")
    next_step(f"bridgehead status{where}")
    return Exit.FINDINGS


async def _run_of(kube: Kube, state_namespace: str, subject: Subject) -> tuple[str, str]:
    """The namespace of the run's record, and the run; a component's mark says where to look."""
    if isinstance(subject, RunName):
        return state_namespace, subject.name
    mark = await mark_of(kube, subject)
    if mark is not None:
        return mark.namespace, mark.run
    return state_namespace, await newest_run(RunStore(kube, state_namespace), subject)


async def _warn(store: RunStore, run: str) -> None:
    if not await store.is_recorded(run):
        say(
            f"warning: the record of run {run} is gone, somebody has deleted it; this is its "
            "journal: the chain is checked, its start is not anchored"
        )


async def _verify(
    cluster: ClusterOptions, state_namespace: str, subject: Subject, head: str
) -> tuple[str, tuple[str, Verification] | None]:
    """With the state namespace that was looked at."""
    async with client(cluster) as kube:
        where, run = await _run_of(kube, state_namespace, subject)
        if not run:
            return where, None
        store = RunStore(kube, where)
        verified = verify_journal(await store.stored(run), head)
        await _warn(store, run)
        return where, (run, verified)


async def _show(
    cluster: ClusterOptions, state_namespace: str, subject: Subject, output: str
) -> tuple[str, Entry | None]:
    """Print the journal; the state namespace, and the last record, None where there is none."""
    last: Entry | None = None
    all_of_them: list[Entry] = []
    async with client(cluster) as kube:
        where, run = await _run_of(kube, state_namespace, subject)
        store = RunStore(kube, where)
        for journal in (run, await _recoveries(store, subject)):
            if not journal:
                continue
            ending: Entry | None = None
            recoveries: list[Entry] = []
            async for page in store.pages(journal):
                if ending is None:
                    await _warn(store, journal)
                ending = page[-1]
                recoveries.extend(item for item in page if item.step == STEP)
                if output == "json":
                    all_of_them.extend(page)
                else:
                    _print(page)
            if ending is not None and output != "json":
                for past in without_verdict(past_of(recoveries)):
                    show(open_end_line(past))
                show(_summary(ending))
            last = last or ending
    if last is not None and output == "json":
        show(_json(all_of_them))
    return where, last


async def _recoveries(store: RunStore, subject: Subject) -> str:
    """The name of the journal of a component's recoveries; empty where it has none."""
    if isinstance(subject, RunName):
        return ""
    name = recoveries_name(subject)
    return name if await store.is_recorded(name) else ""


def _print(page: tuple[Entry, ...]) -> None:
    for entry in page:
        first, *proof = entry_lines(entry) or ("",)
        if first:
            show("\n".join((f"{entry.time[:10]} {clock_time(entry)}  {first}", *proof)))


def _summary(last: Entry) -> str:
    who = f", owner {last.owner}" if last.owner else ""
    return plain_line(f"{last.seq} records by {last.identity}{who}; head {last.digest}")


def _json(entries: list[Entry]) -> str:
    found: JsonObject = {
        "schema": SCHEMA,
        "unread": [],
        "entries": msgspec.to_builtins(entries),
    }
    return pretty_json(found)
