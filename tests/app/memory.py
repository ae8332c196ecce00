"""What the app's loop needs of the outside, in memory: a journal, the stand-in as feed and hand."""

import asyncio
from collections.abc import Callable, Collection, Sequence

import msgspec

from bridgehead.core.journal.chain import Head, Signature, append
from bridgehead.core.journal.entry import Draft, Entry
from bridgehead.core.rollout.commands import Command, CommandResult
from bridgehead.core.rollout.world import World
from tests.core.standin.cluster import Cluster
from tests.core.standin.hand import Hand


class Records:
    """A journal in memory."""

    def __init__(self, start: Head) -> None:
        self.start = start
        self.entries: list[Entry] = []

    async def append(
        self, run: str, drafts: Sequence[Draft], signature: Signature, now: float
    ) -> tuple[Entry, ...]:
        new = []
        for draft in drafts:
            last = self.entries[-1] if self.entries else None
            head = Head(last.seq, last.digest) if last else self.start
            entry = append(head, draft, signature, now)
            self.entries.append(entry)
            new.append(entry)
        return tuple(new)


class StandInFeed:
    """The stand-in's world; waiting for a change is a step of its clock."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self.asked: list[set[str]] = []
        self.blind = False

    async def refresh(
        self,
        in_flight: Collection[str],
        watched: Collection[str],
        counted: Collection[str] | None = None,
    ) -> None:
        self.asked.append({*in_flight})

    def snapshot(self) -> World:
        world = self.cluster.world()
        return msgspec.structs.replace(world, stale="the nodes") if self.blind else world

    async def changed(self, timeout: float) -> None:  # noqa: ASYNC109 - the loop names it so
        self.cluster.advance(1.0)
        await asyncio.sleep(0)


class Effects:
    """The stand-in's hand; ``spoil`` may answer in its place."""

    def __init__(
        self, hand: Hand, spoil: Callable[[Command], CommandResult | None] | None = None
    ) -> None:
        self.hand = hand
        self.spoil = spoil

    async def perform(self, command: Command) -> CommandResult:
        spoilt = self.spoil(command) if self.spoil else None
        return spoilt or self.hand.perform(command)
