"""What is told of a demonstration: which release begins, what is recorded, how it ended."""

from collections.abc import Sequence

from bridgehead.app.runner import Ended
from bridgehead.cli.demo_view import Screen
from bridgehead.cli.explanation import explanation_rows
from bridgehead.cli.progress import style_of
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.durations import duration_text
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending
from bridgehead.core.rollout.world import World
from bridgehead.report.entry_text import clock_time, entry_lines
from bridgehead.twin.demos.script import Act, Script
from bridgehead.twin.demos.sight import Sight

_TOLD = {
    *(("preflight", "passed"), ("preflight", "failed"), ("turn", "back"), ("turn", "hold")),
    *(("node", "verified"), ("node", "failed"), ("node", "set-aside"), ("control", "resume")),
    *(("stage", "soaking"), ("stage", "passed"), ("run", "held")),
}
"""Records that a viewer can follow; ``bridgehead journal`` prints them all."""


class Words:
    """The audience of ``app.demo``: everything goes to the screen."""

    def __init__(self, screen: Screen, script: Script) -> None:
        self._screen = screen
        self._script = script
        self._first: Sight | None = None
        self._seen: Sight | None = None

    def begin(self) -> None:
        """What is going to be played."""
        self._screen.title(self._script.title)
        self._screen.say(self._script.says)

    def act(self, number: int, act: Act, now: Sight) -> None:
        """A release begins."""
        if self._first is None:
            self._first = now
            self._screen.nodes(now.nodes)
        self._screen.title(f"{number}. {act.says}")

    def plan(self, plan: Plan, now: Sight) -> None:
        """What is going to be done, a line a stage."""
        products = {node.name: node.product.removeprefix("NVIDIA-") for node in now.nodes}
        for number, stage in enumerate(plan.stages):
            kinds = sorted({products[node] for node in stage.nodes})
            self._screen.say(
                f"{'plan' if not number else '    '}      {stage.name}: "
                f"{', '.join(stage.nodes)} ({', '.join(kinds)}), then "
                f"{duration_text(stage.soak)} of soak",
                "cyan",
                hang=10,
            )

    def tell(self, entry: Entry) -> None:
        """A record was written."""
        lines = entry_lines(entry)
        if not lines or (entry.step, entry.result) not in _TOLD:
            return
        if (entry.step, entry.result) == ("turn", "back") and self._seen is not None:
            self._contrast(self._seen)
        first, *proof = (line for text in lines for line in text.splitlines())
        self._screen.say(f"{clock_time(entry)}  {first}", style_of(entry), hang=10)
        for line in proof:
            self._screen.say(line.strip(), "dim", indent=12, hang=2)

    def say(self, words: str) -> None:
        """What is no record."""
        self._screen.say(words)

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """The table of nodes moves with ``move``."""

    def move(self, now: Sight) -> None:
        """Show the nodes where something has changed since."""
        if self._seen is None or self._seen.nodes != now.nodes:
            self._screen.move(now.nodes)
        self._seen = now

    def ended(self, ended: Ended, entries: Sequence[Entry], now: Sight) -> None:
        """How a release ended, why as far as it is known, and what is left of it."""
        ending = ended.ending
        self._screen.say(f"exit {ending.exit}    {ending.summary}", _ending_style(ending), hang=10)
        for label, words in explanation_rows(ended.explained, ended.run, ""):
            self._screen.say(f"{label:<9} {words}", hang=10)
        self._screen.nodes(now.nodes)
        last = entries[-1]
        self._screen.say(
            f"journal   {len(entries)} records, each with time, owner ({last.owner}), result and "
            f"proof; chained up to {last.digest[:19]}",
            hang=10,
        )

    def end(self, passed: float, now: Sight) -> None:
        """That was all; what it cost the jobs."""
        self._screen.title("That was the real engine on a simulated cluster.")
        minutes = duration_text(60.0 * round(passed / 60))
        self._screen.say(f"{minutes} of simulated time. {self._harm(now)}")

    def _contrast(self, now: Sight) -> None:
        """What everybody looks at, beside what counts."""
        self._screen.nodes(now.nodes)
        lacking = [node for node in now.nodes if node.offered < node.present]
        for node in lacking:
            self._screen.say(
                f"kubectl   get daemonset: {now.ready} of {now.desired} ready. The pod on "
                f"{node.name} is {node.state}; the node offers {node.offered} of {node.present}.",
                "yellow",
                hang=10,
            )

    def _harm(self, now: Sight) -> str:
        before = self._first.jobs if self._first is not None else frozenset()
        harmed = sorted(name for name, _, _ in before - now.jobs)
        if harmed:
            return f"These jobs lost their devices: {', '.join(harmed)}."
        if len(before) == 1:
            return "The job runs on and was not restarted."
        return f"All {len(before)} jobs run on, not one of them was restarted."


def _ending_style(ending: Ending) -> str:
    return {0: "bold green", 3: "bold green"}.get(ending.exit, "bold red")
