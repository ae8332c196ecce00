"""Watched objects as nouns: each is converted once, when it changes."""

from collections.abc import Callable
from typing import Generic, TypeVar

from bridgehead.kube.watch_store import Change, ObjectKey, Watched, key_of

T = TypeVar("T", bound=Watched)
N = TypeVar("N")


class Mirror(Generic[T, N]):
    """The nouns behind one reflector; give it ``take`` as ``on_change`` and ``wake`` as ``wake``.

    Readers are woken only where something that they can see changed. Kubelets write the status of
    their node again and again, and most of it says nothing new.
    """

    def __init__(
        self,
        convert: Callable[[T], N | None],
        wake: Callable[[], None],
        essence: Callable[[N], object] = lambda noun: noun,
    ) -> None:
        """``convert`` answers None for objects that do not count; ``essence`` of a noun is what
        its readers look at.
        """
        self._convert = convert
        self._wake = wake
        self._essence = essence
        self._nouns: dict[ObjectKey, N] = {}
        self._reported = False
        self._news = False
        self.revision = 0
        """Grows whenever ``nouns`` changes."""

    @property
    def nouns(self) -> dict[ObjectKey, N]:
        """The nouns by key; not to be changed."""
        return self._nouns

    def take(self, change: Change[T]) -> None:
        """What became of one object."""
        self._reported = True
        key = key_of(change.object)
        former = self._nouns.get(key)
        noun = None if change.what == "deleted" else self._convert(change.object)
        if noun is None:
            if self._nouns.pop(key, None) is None:
                return
        else:
            self._nouns[key] = noun
        self.revision += 1
        if noun is None or former is None or self._essence(noun) != self._essence(former):
            self._news = True

    def wake(self) -> None:
        """The reflector has something to say: a change, or that it became stale or fresh."""
        if self._news or not self._reported:
            self._wake()
        self._reported = self._news = False
