"""Options whose value is a duration such as ``30s`` or ``1h30m``."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from bridgehead.core.model.durations import DurationError, parse_duration

F = TypeVar("F", bound=Callable[..., Any])


def duration_option(name: str, help_text: str) -> Callable[[F], F]:
    """An option with a duration; the command gets seconds, or None where it was not given."""
    return click.option(name, callback=_seconds, metavar="DURATION", help=help_text)


def _seconds(_context: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return parse_duration(value)
    except DurationError as error:
        raise click.BadParameter(str(error)) from error
