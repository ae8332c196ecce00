"""Options that bound a runner: ``--for`` and ``--wait``."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click
import msgspec

from bridgehead.cli.durations import duration_option
from bridgehead.core.model.durations import duration_text

F = TypeVar("F", bound=Callable[..., Any])


class Bounds(msgspec.Struct, frozen=True):
    """How long a runner may begin nodes, in seconds, and whether it stays where the run waits."""

    seconds: float | None
    waits: bool

    @property
    def as_arguments(self) -> str:
        """As typed, after a space, for commands that are proposed next."""
        time_given = f" --for {duration_text(self.seconds)}" if self.seconds is not None else ""
        return f"{time_given}{' --wait' if self.waits else ''}"


NO_BOUNDS = Bounds(None, waits=False)
"""Of a command without these options."""


def bounds_options(command: F) -> F:
    """``--for`` and ``--wait``; the command gets them as ``bounds``."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        bounds = Bounds(kwargs.pop("seconds"), kwargs.pop("wait"))
        return command(*args, bounds=bounds, **kwargs)

    limit = duration_option(
        "--for", "End cleanly between nodes within this time, with exit 5.", name="seconds"
    )
    wait = click.option(
        "--wait",
        is_flag=True,
        help="Stay at an approval, a pause or a closed window instead of leaving with exit 5.",
    )
    return limit(wait(wrapped))  # type: ignore[return-value]
