"""Options whose value is a duration such as ``30s`` or ``1h30m``."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from bridgehead.core.model.durations import DurationError, parse_duration

F = TypeVar("F", bound=Callable[..., Any])


def duration_option(option: str, help_text: str, *, name: str | None = None) -> Callable[[F], F]:
    """An option with a duration; the command gets seconds, or None where it was not given.

    ``name`` is the command's parameter, where the option's own name will not do.
    """
    names = (option, name) if name is not None else (option,)
    return click.option(*names, callback=_seconds, metavar="DURATION", help=help_text)


def _seconds(_context: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return parse_duration(value)
    except DurationError as error:
        raise click.BadParameter(str(error)) from error
