"""What is told of a demonstration: which release begins, what is recorded, how it ended."""

from collections.abc import Sequence

from bridgehead.app.demo import NodeSight
from bridgehead.cli.demo_view import Screen
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.durations import duration_text
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending
from bridgehead.core.rollout.world import World
from bridgehead.report.entry_text import clock_time, entry_lines
from bridgehead.twin.demos.script import Act, Script


class Words:
    """The audience of ``app.demo``: everything goes to the screen."""

    def __init__(self, screen: Screen, script: Script) -> None:
        self._screen = screen
        self._script = script
        self._seen: list[NodeSight] | None = None

    def begin(self) -> None:
        """What is going to be played."""
        self._screen.title(self._script.title)
        self._screen.say(self._script.says)

    def act(self, number: int, act: Act, nodes: Sequence[NodeSight]) -> None:
        """A release begins."""
        if number == 1:
            self._screen.nodes(nodes)
        self._screen.title(f"{number}. {act.says}")

    def tell(self, entry: Entry) -> None:
        """A record was written."""
        lines = entry_lines(entry)
        if lines:
            first, *proof = lines
            self._screen.record(clock_time(entry), first, proof, _style(entry))

    def say(self, words: str) -> None:
        """What is no record."""
        self._screen.say(words)

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """The table of nodes moves with ``move``."""

    def move(self, nodes: Sequence[NodeSight]) -> None:
        """Show the nodes where something has changed since."""
        if self._seen != list(nodes):
            self._seen = list(nodes)
            self._screen.move(nodes)

    def ended(self, ending: Ending, entries: Sequence[Entry], nodes: Sequence[NodeSight]) -> None:
        """How a release ended, and what is left of it."""
        self._screen.say(f"Exit code {ending.exit}: {ending.summary}", _ending_style(ending))
        self._screen.nodes(nodes)
        head = entries[-1].digest if entries else ""
        self._screen.say(
            f"Its journal has {len(entries)} records, each with its time, its owner "
            f"({entries[-1].owner}) and its proof, chained up to {head[:19]}."
        )

    def end(self, passed: float) -> None:
        """That was all."""
        self._screen.title("That was the real rollout, on a simulated cluster.")
        self._screen.say(f"Simulated time: {duration_text(passed)}. No job lost its devices.")


def _style(entry: Entry) -> str:
    if entry.result == "failed" or entry.step == "turn":
        return "bold red"
    return "green" if (entry.step, entry.result) == ("node", "verified") else ""


def _ending_style(ending: Ending) -> str:
    return {0: "bold green", 3: "bold"}.get(ending.exit, "bold red")
