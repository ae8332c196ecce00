"""What the use cases of ``app`` need beside a cluster: a session that nobody watches."""

import asyncio
import time

from bridgehead.app.session import Session
from bridgehead.core.journal.entry import Entry
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.world import World
from bridgehead.kube.client import Kube


class Nobody:
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.words: list[str] = []

    def tell(self, entry: Entry) -> None:
        """Records are read from the cluster."""

    def say(self, words: str) -> None:
        self.words.append(words)

    def look(self, run: Run, world: World, decision: Decision) -> None:
        """The live view is not looked at."""


def session(kube: Kube, state_namespace: str) -> Session:
    return Session(
        kube=kube,
        clock=time.time,
        watcher=Nobody(),
        stop=asyncio.Event(),
        state_namespace=state_namespace,
        host="test",
    )
