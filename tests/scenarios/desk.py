"""bridgehead's command line without a process of its own: what it finds in one is put before it.

Several can be at work in one event loop, so arguments, environment and output are a command's own
only while it is that command's turn.
"""

import asyncio
import contextvars
import os
import sys
from collections.abc import Coroutine, Generator, Iterator
from contextlib import contextmanager
from functools import partial
from io import StringIO
from pathlib import Path
from typing import Any

import msgspec

from bridgehead.cli.main import run
from bridgehead.cli.surroundings import Surroundings, within
from tests.scenarios.ground import Done, Typed
from tests.scenarios.stage import UnfitStageError
from tests.scenarios.turns import wait_for


class Desk:
    """One command."""

    def __init__(self, typed: Typed, around: Surroundings, timeout: float) -> None:
        """``timeout``: simulated seconds after which it counts as hanging."""
        self._typed = typed
        self._around = msgspec.structs.replace(around, run=self._run)
        self._timeout = timeout
        self._out, self._err = StringIO(), StringIO()

    def work(self) -> Done:
        """Run it to its end, in code that takes turns with the loop. Raises UnfitStageError."""
        with within(self._around), self.taken():
            code = run(self._typed.words)
        return Done(code, self._out.getvalue(), self._err.getvalue())

    @contextmanager
    def taken(self) -> Iterator[None]:
        """It is this command's turn."""
        kept = sys.argv, sys.stdout, sys.stderr
        sys.argv = ["bridgehead", *self._typed.words]
        sys.stdout, sys.stderr = self._out, self._err
        try:
            with self._elsewhere():
                yield
        finally:
            sys.argv, sys.stdout, sys.stderr = kept

    @contextmanager
    def _elsewhere(self) -> Iterator[None]:
        """In the command's folder, with its environment."""
        folder, variables = self._typed.folder, self._typed.environment
        if folder is None or variables is None:
            yield
            return
        kept = dict(os.environ), Path.cwd()
        _set_environment(dict(variables))
        os.chdir(folder)
        try:
            yield
        finally:
            _set_environment(kept[0])
            os.chdir(kept[1])

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        context = contextvars.copy_context()
        return wait_for(self._bounded(_Stepped(work, self), context))

    async def _bounded(self, work: "_Stepped", context: contextvars.Context) -> Any:
        task = asyncio.get_running_loop().create_task(_awaited(work), context=context)
        done, _ = await asyncio.wait({task}, timeout=self._timeout)
        if not done:
            task.cancel()
            said = f"{self._err.getvalue()}{self._out.getvalue()}"
            raise UnfitStageError(f"no end within {self._timeout:.0f} s:\n{said}")
        return task.result()


class _Stepped:
    """A command's work, of which every step is taken at its desk."""

    def __init__(self, work: Coroutine[Any, Any, Any], desk: Desk) -> None:
        self._work = work
        self._desk = desk

    def __await__(self) -> Generator[Any, Any, Any]:
        step = partial(self._work.send, None)
        while True:
            try:
                with self._desk.taken():
                    awaited = step()
            except StopIteration as end:
                return end.value
            try:
                value = yield awaited
            except BaseException as error:  # noqa: BLE001 - the work's to handle
                step = partial(self._work.throw, error)
            else:
                step = partial(self._work.send, value)


async def _awaited(work: _Stepped) -> Any:
    return await work


def _set_environment(variables: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(variables)
