"""``bridgehead rehearse``: a change, and what may go wrong with it, played on a twin."""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

import click

from bridgehead.app.planning import Planned
from bridgehead.cli.exits import Exit
from bridgehead.cli.inventory import incomplete
from bridgehead.cli.options import StateOptions, output_option, state_options
from bridgehead.cli.plan import show_planned
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.sessions import client
from bridgehead.cli.spec_file import read_spec_or_tell, spec_option
from bridgehead.cli.surroundings import here
from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.problem import problems_text
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rehearsal.outcome import Outcome, Rehearsal
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.report.inventory import pretty_json
from bridgehead.report.rehearsal import rehearsal_json, rehearsal_text, verdict_line

if TYPE_CHECKING:
    from bridgehead.app.rehearse_state import State
    from bridgehead.spec import SpecAccepted
    from bridgehead.twin.faults.fault import Fault


@click.command(
    epilog="Example:  bridgehead rehearse -f bridgehead.yaml --from before.json --fault devices=0"
)
@spec_option
@state_options
@output_option("text", "json")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="FAULT",
    help="Play it with this fault, such as node=gpu-1,devices=0; each one by itself.",
)
@click.option("--all-faults", is_flag=True, help="Play it as it is, and with every known fault.")
@click.option("--seed", "chance", default=0, help="What is left to chance follows from it.")
@click.option("--detach", is_flag=True, help="As for a rollout: although somebody else owns it.")
def rehearse(
    path: Path,
    state: StateOptions,
    output: str,
    faults: tuple[str, ...],
    all_faults: bool,
    chance: int,
    detach: bool,
) -> Exit:
    """Play the change on a twin of the cluster, in simulated time. Nothing outside is changed.

    The twin begins as the cluster is now, or as it was recorded. Exit 0 if the change goes
    through, or if no fault escapes; 1 if not, or if the plan refuses; 8 if not everything that it
    needs could be read.
    """
    from bridgehead.twin.faults.text import FaultError  # noqa: PLC0415 - help cannot wait for it

    accepted = read_spec_or_tell(path)
    if isinstance(accepted, Exit):
        return accepted
    try:
        playing = _Playing(faults, all_faults=all_faults, chance=chance, detach=detach)
        result = playing.play(accepted, _state(state, accepted))
    except FaultError as error:
        say(f"error: {error}")
        next_step("bridgehead rehearse --help, or docs/rehearse.md for all faults")
        return Exit.USAGE
    if isinstance(result, Planned):
        return show_planned(result, output, f"bridgehead rollout -f {path}{state.as_arguments}")
    return _conclude(result, output, path, state)


def _state(state: StateOptions, accepted: "SpecAccepted") -> "State":
    from bridgehead.app.rehearse_state import recorded_state  # noqa: PLC0415

    if state.recording is None:
        return asyncio.run(_live(state, accepted))
    found = recorded_state(state.recording, state.at)
    if found.problems:
        say(problems_text(found.problems).rstrip())
    return found


async def _live(state: StateOptions, accepted: "SpecAccepted") -> "State":
    from bridgehead.app.rehearse_state import live_state  # noqa: PLC0415

    async with client(state.cluster) as kube:
        return await live_state(
            kube, now=here().clock(), namespace=accepted.spec.component.namespace
        )


class _Playing:
    """What is to be played, and how. Raises FaultError for a text that is no fault."""

    def __init__(
        self, faults: tuple[str, ...], *, all_faults: bool, chance: int, detach: bool
    ) -> None:
        from bridgehead.twin.faults.text import parse_fault  # noqa: PLC0415

        self._faults = tuple(map(parse_fault, faults))
        self._all = all_faults
        self._chance = chance
        self._detach = detach

    def play(self, accepted: "SpecAccepted", state: "State") -> "Rehearsal | Planned":
        """Play all of it."""
        from bridgehead.app.rehearse import rehearse as play  # noqa: PLC0415
        from bridgehead.app.rollout import Options  # noqa: PLC0415

        def choose(plan: Plan) -> "Iterator[Fault | None]":
            from bridgehead.app.rehearse_faults import all_faults  # noqa: PLC0415

            if self._all or not self._faults:
                yield None
            yield from self._faults
            if self._all:
                yield from all_faults(plan, state.snapshot)

        alone = not self._all and len(self._faults) <= 1
        with _Alone() if alone else _Many() as audience:
            return play(
                state,
                accepted.spec,
                accepted.text,
                Options(detach=self._detach),
                choose=choose,
                chance=self._chance,
                audience=audience,
            )


class _Many:
    """Tells of each playing in one line."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Nothing is held."""

    def begins(self, fault: str) -> None:
        """It is told when it has ended."""

    def ends(self, outcome: Outcome) -> None:
        """A line."""
        say(verdict_line(outcome))

    def tell(self, entry: Entry) -> None:
        """Records of so many runs are for nobody."""

    def say(self, words: str) -> None:
        """What a run says is for nobody."""

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """Nobody looks."""


class _Alone(_Many):
    """Tells of the one playing as a rollout does, with simulated times."""

    def __init__(self) -> None:
        from bridgehead.cli.progress import Progress  # noqa: PLC0415 - rich: help cannot wait

        self._progress = Progress(sys.stderr)

    def __enter__(self) -> Self:
        self._progress.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.__exit__(kind, error, trace)

    def ends(self, outcome: Outcome) -> None:
        """The result tells it."""

    def tell(self, entry: Entry) -> None:
        """One record."""
        self._progress.tell(entry)

    def say(self, words: str) -> None:
        """Something that is no record."""
        self._progress.say(words)

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """One turn of the loop."""
        self._progress.look(run, world, decision)


def _conclude(result: Rehearsal, output: str, path: Path, state: StateOptions) -> Exit:
    show(pretty_json(rehearsal_json(result)) if output == "json" else rehearsal_text(result))
    if not result.good:
        escaped = any(outcome.verdict == "escaped" for outcome in result.outcomes)
        next_step(
            "let the plan look closer (verify.probe, verify.soak), then the same command again"
            if escaped
            else "mend what failed, then the same command again"
        )
        return Exit.FINDINGS
    if result.unread:
        return incomplete(result.unread)
    where = "" if state.recording is not None else state.cluster.as_arguments
    next_step(f"bridgehead rollout -f {path}{where}")
    return Exit.DONE
