"""Options of commands that ask something of a run: the reason, and a name beside the identity."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar

import click

from bridgehead.app.asking import Asker

F = TypeVar("F", bound=Callable[..., Any])

LONGEST = 500
"""Characters: the request is one record of the journal, which holds 4 KiB."""


def asker_options(command: F) -> F:
    """``--reason`` and ``--actor``; the command gets them as ``asker``."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        asker = Asker(actor=kwargs.pop("actor"), reason=kwargs.pop("reason"))
        return command(*args, asker=asker, **kwargs)

    reason = click.option(
        "--reason", default="", callback=_one_line, help="Why; it is kept in the journal."
    )
    actor = click.option(
        "--actor",
        default="",
        callback=_one_line,
        metavar="NAME",
        help="Who asks, where the account is shared; shown as claimed.",
    )
    return reason(actor(wrapped))  # type: ignore[return-value]


def _one_line(_context: click.Context, _option: click.Parameter, value: str) -> str:
    """Requests are kept as lines, so that no separator of lines may be in one."""
    line = " ".join(value.split())
    if len(line) > LONGEST:
        raise click.BadParameter(f"{len(line)} characters; {LONGEST} at most")
    return line
