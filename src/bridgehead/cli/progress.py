"""Progress on stderr: plain lines anywhere, and a live view of nodes in flight on a terminal."""

from types import TracebackType
from typing import Self, TextIO

import msgspec
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text

from bridgehead.cli.say import silence
from bridgehead.core.journal.entry import Entry
from bridgehead.core.rollout.commands import Purpose
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeStatus, RunState, Work
from bridgehead.core.rollout.transition import fold
from bridgehead.core.rollout.world import World
from bridgehead.report.entry_text import clock_time, entry_lines

SHOWN = 12
"""Nodes in flight that the live view shows at most."""


class _Listener(Console):
    """A console whose reader may go away: the run goes on, unseen, to its proper ending."""

    def on_broken_pipe(self) -> None:
        """Only go quiet. rich would raise SystemExit here, in the middle of a change."""
        self.quiet = True
        silence(self.file)


class Progress:
    """Tells every record as it is written; on a terminal, also what is awaited right now."""

    def __init__(self, stream: TextIO) -> None:
        self._console = _Listener(file=stream, highlight=False, soft_wrap=True)
        self._live: Live | None = None
        self._last_wait = ""
        self._recorded = ""
        self._seen: Run | None = None

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(
                console=self._console, refresh_per_second=4, transient=True, redirect_stdout=False
            )
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def tell(self, entry: Entry) -> None:
        """One record that was written."""
        self._recorded = entry.run
        seen = self._seen
        if seen is not None and (entry.run, entry.seq) == (seen.name, seen.state.last_seq + 1):
            self._seen = msgspec.structs.replace(seen, state=fold((entry,), seen.state))
        lines = entry_lines(entry)
        if not lines or entry.step == "diagnosis":  # which is told whole with the ending
            return
        first, *proof = lines
        self._console.print(Text(f"{clock_time(entry)}  {first}", style=style_of(entry)))
        for line in proof:
            self._console.print(Text(line, style="dim"))

    def say(self, words: str) -> None:
        """Something that is no record."""
        self._console.print(Text(words))

    @property
    def run(self) -> Run | None:
        """The run that this process is at, as its journal tells it; None where it is at none."""
        seen = self._seen
        return seen if seen is not None and seen.name == self._recorded else None

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """One turn of the loop: refresh the live view."""
        self._seen = run
        if self._live is not None:
            self._live.update(_view(run, world, decision))


def style_of(entry: Entry) -> str:
    """How a record looks: what went wrong, what was proved, or neither."""
    if entry.result == "failed" or entry.step == "turn":
        return "bold red"
    return "green" if (entry.step, entry.result) == ("node", "verified") else ""


def _view(run: Run, world: World, decision: Decision) -> RenderableType:
    stage = run.stage
    name = stage.name if stage else "finishing"
    lines = [Text(f"{name}: {_counts(run.state)}", style="bold")]
    for node in run.state.working[:SHOWN]:
        if node.work is not None:
            seen = world.nodes.get(node.name)
            offers = seen.offers if seen else {}
            shown = ", ".join(f"{key} {offers.get(key, '-')}" for key in run.plan.resources)
            lines.append(Text(f"  {node.name}  {_step(node.work)}  {shown}"))
    if decision.waiting_for:
        lines.append(Text(f"  waiting: {decision.waiting_for}", style="dim"))
    return Group(*lines)


def _step(work: Work) -> str:
    if work.purpose is Purpose.LOSE:
        return "to lose the component" if work.deleted_at is None else "loses the component"
    if work.deleted_at is None:
        return f"{work.purpose.value}: waits to be replaced"
    return f"{work.purpose.value}: being verified"


def _counts(state: RunState) -> str:
    statuses = [item.status for item in state.nodes.values()]
    shown = (NodeStatus.PASSED, NodeStatus.FAILED, NodeStatus.TAKEN_BACK)
    return ", ".join(f"{statuses.count(item)} {item.value}" for item in shown)
