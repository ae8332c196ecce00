"""Which run a command is about: ``-f`` a spec, a component, or a run by its name."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from bridgehead.app.component_ref import BadReferenceError, parse_subject
from bridgehead.app.subject import Subject
from bridgehead.cli.exits import Exit
from bridgehead.cli.spec_file import read_spec_or_tell

F = TypeVar("F", bound=Callable[..., Any])


class Named(msgspec.Struct, frozen=True):
    """A run as the command line names it."""

    text: str | None
    path: Path | None

    @property
    def as_argument(self) -> str:
        """As typed, after a space, for commands that are proposed next."""
        return f" -f {self.path}" if self.path is not None else f" {self.text}"


def subject_options(command: F) -> F:
    """One of ``COMPONENT|RUN`` and ``-f``; the command gets it as ``named``."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        named = Named(kwargs.pop("subject"), kwargs.pop("path"))
        if (named.text is None) == (named.path is None):
            raise click.UsageError("name one run: COMPONENT, RUN, or -f with the rollout's spec")
        return command(*args, named=named, **kwargs)

    argument = click.argument("subject", metavar="[COMPONENT|RUN]", required=False)
    option = click.option(
        "--filename",
        "-f",
        "path",
        type=click.Path(path_type=Path),
        help="The rollout's spec in place of COMPONENT or RUN.",
    )
    return argument(option(wrapped))  # type: ignore[return-value]


def read_subject(named: Named) -> Subject | Exit:
    """What is named; or exit 2 after the spec's problems were told. Raises click.UsageError."""
    if named.path is not None:
        accepted = read_spec_or_tell(named.path)
        return accepted if isinstance(accepted, Exit) else accepted.spec
    try:
        return parse_subject(named.text or "")
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error
