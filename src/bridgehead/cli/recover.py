"""``bridgehead recover``: which rung of the ladder fits, and with consent, take it."""

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from bridgehead.app.component_ref import BadReferenceError, parse_component
from bridgehead.app.loop import Stopped
from bridgehead.app.recorded import read_recorded
from bridgehead.app.recover import (
    Explanation,
    NodeUnclearError,
    Request,
    Taken,
    explain,
)
from bridgehead.app.recover import recover as take
from bridgehead.app.recover_look import Asked, NoSuchPluginError, plugins_there
from bridgehead.app.session import Session
from bridgehead.cli.endings import not_begun, stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, StateOptions, output_option, state_options
from bridgehead.cli.recover_endings import Typed, tell
from bridgehead.cli.rule_diagnosis import RuleDiagnosis
from bridgehead.cli.say import next_step, say
from bridgehead.cli.sessions import NOTHING_CHANGED, runner
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.cli.surroundings import run_here
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.recover.rung import Rung, rung_of

_SAID = 400
"""Characters of a command's output that are kept."""


@click.command(epilog="Example:  bridgehead recover daemonset/gpu/nvidia-device-plugin --node n1")
@click.argument("component", metavar="[COMPONENT]", required=False)
@state_options
@output_option("text", "json")
@state_namespace_option
@click.option("--node", default="", help="The node to recover (default: those that need it).")
@click.option("--resource", default="", help="Only this resource name of the component.")
@click.option(
    "--rung",
    type=click.Choice([item.value for item in Rung]),
    help="This rung, in place of what the diagnosis asks for.",
)
@click.option("--yes", is_flag=True, help="Do it. Without this it is only explained.")
@click.option(
    "--command",
    "own",
    metavar="ARGV",
    help="Your own command for drain, kubelet-restart or reboot; run without a shell.",
)
@click.option(
    "--baseline",
    type=click.Path(exists=True, path_type=Path),
    help="A saved inventory that says what nodes offered before (default: the last run's record).",
)
@click.option("--owner", default="", help="Team or person who answers for it; recorded.")
def recover(
    component: str | None,
    state: StateOptions,
    output: str,
    state_namespace: str,
    node: str,
    resource: str,
    rung: str | None,
    yes: bool,
    own: str | None,
    baseline: Path | None,
    owner: str,
) -> Exit:
    """Say which rung of the recovery ladder fits, what must hold for it, and what it would do.

    With --yes it is done, on one node, and verified; a recorded state is only explained. Exit 0
    when the devices are back or nothing is wrong, 1 if something is and nothing was done, 4 if it
    did not help: a person must look.
    """
    named = rung_of(rung) if rung else None
    _check(named, own, yes=yes)
    if yes and state.recording is not None:
        raise click.UsageError("--yes goes with a live cluster: nothing is done to a recorded one")
    asked = _Asked(
        ref=_ref(component),
        node=node,
        resource=resource,
        rung=named,
        yes=yes,
        command=tuple(shlex.split(own)) if own else (),
        baseline=baseline,
        owner=owner,
    )
    return _tell(asked, state, output, state_namespace)


class _Asked(msgspec.Struct, frozen=True, kw_only=True):
    """The options of the command."""

    ref: ComponentRef | None
    node: str
    resource: str
    rung: Rung | None
    yes: bool
    command: tuple[str, ...]
    baseline: Path | None
    owner: str

    @property
    def as_arguments(self) -> str:
        """As typed, without the consent."""
        named = {
            "--node": self.node,
            "--resource": self.resource,
            "--rung": self.rung.value if self.rung else "",
            "--baseline": shlex.quote(str(self.baseline)) if self.baseline else "",
        }
        options = "".join(f" {name} {value}" for name, value in named.items() if value)
        return f"{f' {self.ref}' if self.ref else ''}{options}"

    def left(self, where: str) -> str:
        """How a recovery is left at once: it writes what it does before it does it."""
        shows = f"'bridgehead journal {self.ref or 'COMPONENT'}{where}' shows it"
        return f"what was begun on a node is not verified: {shows}"

    def request(self, ref: ComponentRef) -> Request:
        """What the use case is asked for one component."""
        return Request(
            asked=Asked(
                component=ref,
                resource=self.resource,
                by_person=self.rung is not None,
                baseline=read_recorded(self.baseline).snapshot if self.baseline else None,
            ),
            node=self.node,
            rung=self.rung,
            command=self.command,
            owner=self.owner,
        )


def _tell(asked: _Asked, state: StateOptions, output: str, state_namespace: str) -> Exit:
    """Explain or do it, and tell what came of it."""
    recorded = state.recording is not None
    where = state.as_arguments if recorded else as_arguments(state.cluster, state_namespace)
    again = f"bridgehead recover{asked.as_arguments}{where}"
    try:
        result = (
            _explain_recorded(asked, state)
            if recorded
            else run_here(_run(asked, state.cluster, state_namespace))
        )
    except (NoSuchPluginError, NodeUnclearError) as error:
        not_begun(output, Exit.USAGE, str(error))
        next_step(f"bridgehead diagnose{where}")
        return Exit.USAGE
    if isinstance(result, tuple):
        return stopped(*result, output, again)
    baseline = f" --baseline {shlex.quote(str(asked.baseline))}" if asked.baseline else ""
    typed = Typed(
        component=str(asked.ref or ""),
        resource=asked.resource,
        rung=asked.rung,
        output=output,
        again=again,
        where=where,
        recorded=recorded,
        baseline=baseline,
    )
    return tell(result, typed)


def _check(rung: Rung | None, own: str | None, *, yes: bool) -> None:
    """Raises click.UsageError for options that do not go together."""
    by_hand = rung is not None and rung.by_hand
    if own is not None and not by_hand:
        raise click.UsageError("--command goes with --rung drain, kubelet-restart or reboot")
    if own is not None and not shlex.split(own):
        raise click.UsageError("--command names no program")
    if by_hand and yes and own is None:
        raise click.UsageError(
            f"{rung.value if rung else ''} is never done by itself: without --yes its runbook is "
            "printed, with --command your own command is run"
        )


def _ref(component: str | None) -> ComponentRef | None:
    if component is None:
        return None
    try:
        return parse_component(component)
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error


async def _run(
    asked: _Asked, cluster: ClusterOptions, state_namespace: str
) -> Taken | tuple[Stopped, Exit]:
    left = NOTHING_CHANGED if not asked.yes else asked.left(as_arguments(cluster, state_namespace))
    async with runner(cluster, state_namespace, without_run=left) as (session, stop):
        return await stop.result_of(_go(session, asked))


async def _go(session: Session, asked: _Asked) -> Taken:
    refs, unread = ((asked.ref,), ()) if asked.ref is not None else await plugins_there(session)
    diagnosis = RuleDiagnosis(asked.baseline, refs[0] if len(refs) == 1 else None)
    if asked.yes:
        if len(refs) != 1:
            names = ", ".join(map(str, refs)) or ("not all may be read" if unread else "none")
            raise NodeUnclearError(f"name one component: device plugins of this cluster: {names}")
        return await take(session, asked.request(refs[0]), diagnosis.of(refs[0]), run_command)
    parts = [await explain(session, asked.request(ref), diagnosis.of(ref)) for ref in refs]
    return _together(parts, unread)


def _explain_recorded(asked: _Asked, state: StateOptions) -> Explanation:
    """Of what was recorded. Raises NoSuchPluginError and NodeUnclearError."""
    # All rules, and the YAML reader: help must not wait for them.
    from bridgehead.app.diagnose import diagnosed  # noqa: PLC0415
    from bridgehead.app.history import history_of  # noqa: PLC0415
    from bridgehead.app.observed_recording import read_observed  # noqa: PLC0415
    from bridgehead.app.recover_recorded import explain_recorded, plugins_in  # noqa: PLC0415
    from bridgehead.core.diagnose.question import Question  # noqa: PLC0415
    from bridgehead.core.model.problem import problems_text  # noqa: PLC0415

    assert state.recording is not None
    extra = (history_of(asked.baseline),) if asked.baseline is not None else ()
    recording = read_observed(state.recording, state.at, extra=extra)
    if recording.problems:
        say(problems_text(recording.problems).rstrip())
    observed = recording.observed
    refs = (asked.ref,) if asked.ref is not None else plugins_in(observed)
    parts = [
        explain_recorded(
            observed, asked.request(ref), diagnosed(observed, Question(component=str(ref)))
        )
        for ref in refs
    ]
    return _together(parts, observed.unread)


def _together(parts: Sequence[Explanation], unread: Sequence[Unread]) -> Explanation:
    """What was explained of several components, as one."""
    return Explanation(
        nodes=tuple(item for part in parts for item in part.nodes),
        unread=tuple(dict.fromkeys((*unread, *(item for part in parts for item in part.unread)))),
        open_ends=tuple(item for part in parts for item in part.open_ends),
        grant=next((part.grant for part in parts if part.grant), ""),
    )


async def run_command(argv: tuple[str, ...]) -> tuple[int, str]:
    """Run a person's own command here, without a shell; the end of what it said."""
    try:
        process = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
    except OSError as error:
        return 127, str(error)
    said, _ = await process.communicate()
    return process.returncode or 0, said.decode(errors="replace").strip()[-_SAID:]
