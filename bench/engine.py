"""What the engine costs by itself: a whole run over many nodes, without any cluster.

    uv run python -m bench.engine [--nodes 1000] [--parallel 20] [--profile]

Printed are the processor time of looks (``follow`` and ``decide``) and of records (``append`` and
``transition``), the records of a node, and the size of the journal.
"""

import cProfile
import pstats
import time

import click

from bench.instant_cluster import NAME, InstantCluster, plan_for
from bridgehead.core.journal.chain import Head, Signature, append, encode
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.rollout.commands import key
from bridgehead.core.rollout.decide import decide, outcome
from bridgehead.core.rollout.decision import intent, note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Ending, RunState
from bridgehead.core.rollout.tracking import follow
from bridgehead.core.rollout.transition import DONE, fold, transition
from bridgehead.core.verify.track import Track

SIGNATURE = Signature(run=NAME, owner="platform", identity="system:serviceaccount:ci:rollout")
TICK = 1.0


class Engine:
    """The loop of the app without waiting: each turn takes a second of the cluster's time."""

    def __init__(self, nodes: int, parallel: int, soak: float = 60.0) -> None:
        self.names = tuple(f"gpu-node-{number:05}" for number in range(nodes))
        self.plan = plan_for(self.names, parallel=parallel, soak=soak)
        self.cluster = InstantCluster(self.names, self.plan)
        self.run = Run(name=NAME, plan=self.plan, state=RunState())
        self.entries: list[Entry] = []
        self.looks: list[float] = []
        self.recording = 0.0
        self._tracks: dict[str, Track] = {}
        self._head = Head(0, self.plan.change_digest)
        self._record([note("run", "began", detail={"generation": 1})])

    def to_the_end(self) -> Ending:
        """All turns."""
        while (ending := self._turn()) is None:
            pass
        return ending

    def _turn(self) -> Ending | None:
        world, now = self.cluster.world(), self.cluster.now
        started = time.process_time()
        self._tracks = dict(follow(self.run, world, self._tracks, now))
        decision = decide(self.run, world, self._tracks, now)
        self.looks.append(time.process_time() - started)
        if decision.ending is not None:
            return decision.ending
        if not decision:
            self.cluster.advance(TICK)
            return None
        self._record([*decision.notes, *map(intent, decision.commands)])
        done = [(command, self.cluster.perform(command)) for command in decision.commands]
        self._record([outcome(key(command), DONE, detail) for command, detail in done])
        return None

    def _record(self, drafts: list[Draft]) -> None:
        started = time.process_time()
        state = self.run.state
        for draft in drafts:
            entry = append(self._head, draft, SIGNATURE, self.cluster.now)
            self._head = Head(entry.seq, entry.digest)
            self.entries.append(entry)
            state = transition(state, entry)
        self.run = Run(name=NAME, plan=self.plan, state=state, target_digest=self.run.target_digest)
        self.recording += time.process_time() - started


@click.command()
@click.option("--nodes", default=1000, show_default=True)
@click.option("--parallel", default=20, show_default=True)
@click.option("--profile", is_flag=True, help="Print where the time goes.")
def main(nodes: int, parallel: int, profile: bool) -> None:
    """Measure and print."""
    engine = Engine(nodes, parallel)
    profiler = cProfile.Profile()
    if profile:
        profiler.enable()
    ending = engine.to_the_end()
    profiler.disable()
    if profile:
        pstats.Stats(profiler).sort_stats("cumulative").print_stats(35)
    _print(engine, ending)


def _print(engine: Engine, ending: Ending) -> None:
    looks, entries, nodes = sorted(engine.looks), engine.entries, len(engine.names)
    size = sum(len(encode(entry).encode()) for entry in entries)
    started = time.process_time()
    fold(entries)
    folding = time.process_time() - started
    print(f"{nodes} nodes, exit {ending.exit}: {ending.summary}")
    print(f"virtual time {engine.cluster.now - 1_800_000_000.0:.0f} s, {len(looks)} looks")
    print(
        f"looks: median {1000 * looks[len(looks) // 2]:.1f} ms, "
        f"99 % {1000 * looks[len(looks) * 99 // 100]:.1f} ms, longest {1000 * looks[-1]:.1f} ms, "
        f"all {sum(looks):.1f} s"
    )
    print(f"records: {len(entries)}, {len(entries) / nodes:.1f} a node, {size / 1e6:.1f} MB")
    each = 1000 * engine.recording / len(entries)
    print(f"appending and folding {each:.2f} ms a record; folding all {folding:.2f} s")


if __name__ == "__main__":
    main()
