"""Journals of large runs on a real API server: writing, resuming, showing, the state of runs.

    uv run python -m bench.journal_store --kubeconfig FILE [--nodes 1000] [--runs 3]

The records are those of a whole run of the engine (``bench.engine``), written in the batches in
which it decided them. Of several runs of one component only the last one is still open.
"""

import asyncio
import os
import time
from collections.abc import Sequence
from pathlib import Path

import click
import msgspec

from bench.counting import CountingTransport, connect
from bench.engine import SIGNATURE, Engine
from bridgehead.app.status import status
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.journal.verification import Consistent, verify
from bridgehead.core.rollout.transition import fold
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from bridgehead.kube.resources import CONFIG_MAPS, NAMESPACES

NAMESPACE = "bench-journals"


@click.command()
@click.option("--kubeconfig", required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--nodes", default=1000, show_default=True)
@click.option("--runs", default=3, show_default=True, help="Runs of the same component.")
def main(kubeconfig: Path, nodes: int, runs: int) -> None:
    """Measure and print."""
    engine = Engine(nodes, parallel=20)
    engine.to_the_end()
    asyncio.run(_measure(kubeconfig, engine, runs))


async def _measure(kubeconfig: Path, engine: Engine, runs: int) -> None:
    kube, counter = await connect(load_config(kubeconfig))
    async with kube:
        try:
            print(f"{os.cpu_count()} CPUs, load {os.getloadavg()[0]:.0f}")
            for number in range(1, runs + 1):
                await _write(kube, counter, engine, f"bench-{number}", ended=number < runs)
            await _read(kube, counter, f"bench-{runs}")
            with _Measured(counter, "status of the component"):
                found = await status(kube, NAMESPACE, engine.plan.spec.component, time.time())
            assert [item.run for item in found] == [f"bench-{runs}"]
        finally:
            await kube.delete(NAMESPACES, NAMESPACE, None)


async def _write(
    kube: Kube, counter: CountingTransport, engine: Engine, run: str, *, ended: bool
) -> None:
    store = RunStore(kube, NAMESPACE)
    signature = msgspec.structs.replace(SIGNATURE, run=run)
    await store.create(Record(run=run, owner="platform", spec="", plan=engine.plan))
    batches = _batches(engine.entries)
    if ended:
        detail = {"ending": {"exit": 0, "summary": "done"}, "closed": "true"}
        batches.append([_draft(engine.entries[0], step="run", result="ended", detail=detail)])
    with _Measured(counter, f"{run}: {len(batches)} batches of {len(engine.entries)} records"):
        for batch in batches:
            await store.append(run, batch, signature, time.time())


async def _read(kube: Kube, counter: CountingTransport, run: str) -> None:
    store = RunStore(kube, NAMESPACE)
    with _Measured(counter, "entries() and fold, as a runner that resumes"):
        entries = await store.entries(run)
        fold(entries)
    started = time.perf_counter()
    shown = 0
    with _Measured(counter, "pages(), as `journal` shows them"):
        async for page in store.pages(run):
            if not shown:
                print(f"  first page after {time.perf_counter() - started:.2f} s")
            shown += len(page)
    assert shown == len(entries)
    with _Measured(counter, "verify"):
        found = verify(await store.stored(run))
    assert isinstance(found, Consistent), found
    segments = (await kube.list_metadata(CONFIG_MAPS, NAMESPACE, f"bridgehead.dev/run={run}")).items
    print(f"  {len(entries)} records in {len(segments) - 1} segments")


def _batches(entries: Sequence[Entry]) -> list[list[Draft]]:
    """Records of one moment and phase were written together."""
    batches: list[list[Draft]] = []
    last: tuple[str, bool] | None = None
    for entry in entries:
        place = (entry.time, entry.phase.value == "outcome")
        if place != last:
            batches.append([])
        last = place
        batches[-1].append(_draft(entry))
    return batches


def _draft(entry: Entry, **fields: object) -> Draft:
    kept = {name: getattr(entry, name) for name in Draft.__struct_fields__}
    return Draft(**{**kept, **fields})


class _Measured:
    """Prints how long its body took, and how many requests it sent."""

    def __init__(self, counter: CountingTransport, what: str) -> None:
        self._counter = counter
        self._what = what

    def __enter__(self) -> None:
        self._sent = self._counter.sent.total()
        self._started, self._cpu = time.perf_counter(), time.process_time()

    def __exit__(self, *_: object) -> None:
        took, cpu = time.perf_counter() - self._started, time.process_time() - self._cpu
        sent = self._counter.sent.total() - self._sent
        print(f"{self._what}: {took:.2f} s, {cpu:.2f} s of processor, {sent} requests")


if __name__ == "__main__":
    main()
