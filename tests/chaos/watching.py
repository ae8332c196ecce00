"""What the API server says about objects while a run goes on, in the order in which it happened."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from http.client import HTTPException
from typing import Self

from testbed.api import Api, Object
from tests.scenarios.stage import UnfitStageError

LONGEST = 300.0
"""Seconds after which something awaited counts as never coming."""


class Watch:
    """Everything that is said about one list, kept from its first state on."""

    def __init__(self, api: Api, path: str) -> None:
        self._api = api
        self._path = path
        self._news = threading.Condition()
        self._over = threading.Event()
        self._said: list[Object] = []
        self._trouble: Exception | None = None
        found = api.get(path)
        self._version = str(found["metadata"]["resourceVersion"])
        self._said += ({"type": "ADDED", "object": item} for item in found["items"])
        self._thread = threading.Thread(target=self._listen, name=f"watch {path}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join(timeout=10)

    def said(self) -> tuple[Object, ...]:
        """All events so far."""
        with self._news:
            return tuple(self._said)

    def until(self, holds: Callable[[tuple[Object, ...]], bool], what: str) -> None:
        """Wait until the events so far, or something beside them, make something hold.

        Raises UnfitStageError.
        """
        end = time.monotonic() + LONGEST
        with self._news:
            while not holds(tuple(self._said)):
                if self._trouble is not None:
                    raise UnfitStageError(f"watch of {self._path}: {self._trouble}")
                if time.monotonic() > end:
                    raise UnfitStageError(f"not within {LONGEST:.0f} s: {what}")
                self._news.wait(0.2)

    def _listen(self) -> None:
        try:
            while not self._over.is_set():
                for event in self._api.watch(self._path, self._version, patience=1):
                    self._take(event)
        except (OSError, HTTPException, ValueError) as error:
            with self._news:
                self._trouble = error
                self._news.notify_all()

    def _take(self, event: Object) -> None:
        if event["type"] == "ERROR":
            raise ValueError(event["object"].get("message", "the watch was refused"))
        with self._news:
            self._version = str(event["object"]["metadata"]["resourceVersion"])
            self._said.append(event)
            self._news.notify_all()
