"""A run on its stage: its runners, what the cluster says meanwhile, and how it must end."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import msgspec

from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.entry import Entry
from bridgehead.kube.client import Kube
from bridgehead.kube.config import load_config
from testbed.api import Object
from tests.chaos.invariants import Bounds, broken
from tests.chaos.lines import Write, pods, writes
from tests.chaos.moments import Moment
from tests.chaos.process import Process
from tests.chaos.watching import Watch
from tests.scenarios.access import grant, revoke
from tests.scenarios.setting import prepare
from tests.scenarios.sighting import Sighting, look
from tests.scenarios.stage import Stage
from tests.scenarios.view import until

PARALLEL = 2
"""Nodes that a run here may have in the gap at a time."""

VERSION_AFTER = {0: "fake:v2", 3: "fake:v1"}
"""What all nodes run in the end, by exit code."""


class Disturbed:
    """A run that is watched while its runners are struck."""

    def __init__(self, stage: Stage, state: Watch, seen: Watch) -> None:
        self.stage = stage
        self.users = (stage.user, second_user(stage))
        self._state, self._seen = state, seen
        self._before = look(stage)
        self._audit_from = stage.cluster.audit_log.stat().st_size
        self._runners = 0

    def runner(self, user: int = 0) -> Process:
        """Start ``bridgehead rollout`` as the first or the second user."""
        self._runners += 1
        return Process(self.stage, self.users[user], self._runners)

    def records(self) -> list[Entry]:
        """The journal as far as it has been heard of."""
        return _records(self._state.said())

    def reached(self, process: Process, count: int) -> bool:
        """Wait until the journal has so many records; False where the process ended before."""
        self._state.until(
            lambda said: len(_records(said)) >= count or process.ended, f"record {count}"
        )
        return len(self.records()) >= count

    def met(self, process: Process, moment: Moment) -> bool:
        """Wait for a moment of a process that has just begun; False where it ended before."""
        if not self.reached(process, len(self.records()) + moment.records):
            return False
        time.sleep(moment.delay)
        return not process.ended

    def said(self, step: str, result: str, *, after: int = 0) -> None:
        """Wait for a record of that step and result, beyond the first so many."""
        self._state.until(
            lambda said: any(
                (entry.step, entry.result) == (step, result) for entry in _records(said)[after:]
            ),
            f"{step} {result}",
        )

    def lapsed(self) -> None:
        """Wait until the component's lock was not renewed for longer than it lasts."""
        path = f"/apis/coordination.k8s.io/v1/namespaces/{self.stage.state_namespace}/leases"

        def old() -> bool:
            (lease,) = self.stage.cluster.api.get(path)["items"]
            renewed = datetime.fromisoformat(lease["spec"]["renewTime"]).timestamp()
            return time.time() > renewed + float(lease["spec"]["leaseDurationSeconds"])

        until(old, "the lock has lapsed")

    def image(self) -> str:
        """The image of the component's template that stands."""
        found = self.stage.cluster.api.get(self.stage.path("daemonsets", "plugin"))
        return str(found["spec"]["template"]["spec"]["containers"][0]["image"])

    def writes(self) -> list[Write]:
        """What both users have written so far."""
        with self.stage.cluster.audit_log.open(encoding="utf-8") as log:
            log.seek(self._audit_from)
            return writes(log, self.users)

    async def complaints(self, wanted: int, found: int) -> list[str]:
        """What is not as after an undisturbed run with the wanted exit code."""
        if wanted != found:
            return [f"exit: expected {wanted}, found {found}"]
        bounds = Bounds(
            namespaces=frozenset({self.stage.namespace, self.stage.state_namespace}),
            nodes={
                node.name: given.device
                for node, given in zip(
                    self.stage.nodes, self.stage.scenario.given.nodes, strict=True
                )
            },
            parallel=PARALLEL,
        )
        after = look(self.stage)
        self._seen.until(
            lambda said: (
                {pod.uid for pod in pods(said) if pod.ready} >= set(after.plugin_uids.values())
            ),
            "the watch has seen all that is there",
        )
        entries = await _journal(self.stage)
        return [
            *broken(bounds, self.writes(), pods(self._seen.said()), entries),
            *self._ending(wanted, entries, after),
        ]

    def _ending(self, code: int, entries: tuple[Entry, ...], after: Sighting) -> Iterator[str]:
        before = self._before
        image = self.stage.image(VERSION_AFTER[code])
        compared = {
            "images": (dict.fromkeys(before.images, image), after.images),
            "strategy": (before.strategy, after.strategy),
            "leftovers": ([], after.leftovers),
            "devices": (before.devices, after.devices),
            "containers of workloads": (before.containers, after.containers),
            "last record": (("run", "ended"), (entries[-1].step, entries[-1].result)),
            "runs": (1, len({entry.run for entry in entries})),
        }
        for what, (wanted, found) in compared.items():
            if wanted != found:
                yield f"{what}: expected {wanted}, found {found}"


@contextmanager
def disturbed(stage: Stage) -> Iterator[Disturbed]:
    """Set the stage and watch it."""
    api = stage.cluster.api
    prepare(stage)
    second = second_user(stage)
    grant(api, second, stage.component_ref, stage.state_namespace)
    configmaps = f"/api/v1/namespaces/{stage.state_namespace}/configmaps"
    try:
        with Watch(api, configmaps) as state, Watch(api, stage.path("pods")) as seen:
            yield Disturbed(stage, state, seen)
    finally:
        revoke(api, second)


def second_user(stage: Stage) -> str:
    """An identity of its own, so that the audit log tells two runners apart."""
    return f"{stage.user}-second"


def _records(said: tuple[Object, ...]) -> list[Entry]:
    """Journal records in events of ConfigMaps, in their order."""
    found: dict[str, str] = {}
    for event in said:
        data = event["object"].get("data", {})
        found |= {key: value for key, value in data.items() if key.isdecimal()}
    return [msgspec.json.decode(found[key], type=Entry) for key in sorted(found)]


async def _journal(stage: Stage) -> tuple[Entry, ...]:
    """The records of all runs as they stand in the cluster; reading them checks their chains."""
    async with await Kube.connect(load_config(stage.cluster.kubeconfig)) as kube:
        store = RunStore(kube, stage.state_namespace)
        runs = await store.list_runs()
        return tuple([entry for run in runs for entry in await store.entries(run.run)])
