"""The option ``-f``: a spec file, read whole or refused with everything that is wrong with it."""

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from bridgehead.cli.exits import Exit
from bridgehead.cli.say import next_step, say

if TYPE_CHECKING:
    from bridgehead.spec import SpecAccepted

F = TypeVar("F")

spec_option = click.option(
    "--filename",
    "-f",
    "path",
    required=True,
    type=click.Path(path_type=Path),
    help="The rollout's spec, usually bridgehead.yaml.",
)


def read_spec_or_tell(path: Path) -> "SpecAccepted | Exit":
    """The spec; or exit 2 after every problem was told with its file, line and column."""
    # pydantic and the YAML reader: help cannot wait for them.
    from bridgehead.sources import read_manifests  # noqa: PLC0415
    from bridgehead.sources.plain_files import no_file  # noqa: PLC0415
    from bridgehead.spec import SpecAccepted, problems_text, read_spec_file  # noqa: PLC0415

    if path.is_fifo() and (reason := no_file(path, named=True)):
        say(f"error: {path} cannot be read: {reason}")
        next_step("the same command with -f and a file")
        return Exit.USAGE
    result = read_spec_file(path, partial(read_manifests, path.parent))
    if isinstance(result, SpecAccepted):
        if result.warnings:
            say(problems_text(result.warnings).rstrip())
        return result
    say(problems_text(result.problems).rstrip())
    count = len(result.problems)
    say(f"error: {path} has {count} problem{'s' if count != 1 else ''}; nothing was changed")
    next_step(f"mend {path} and run the same command again")
    return Exit.USAGE
