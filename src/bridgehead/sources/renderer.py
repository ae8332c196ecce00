"""The user's own programs that render: found on PATH, run without a shell, for a minute at most."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

LONGEST = 60.0
"""Seconds for one rendering."""

_WORDS = 600


class RenderError(Exception):
    """A rendering that failed, or could not be begun; the message says why."""


def found_program(names: Sequence[str]) -> str | None:
    """The first of these programs that is on PATH."""
    return next((found for name in names if (found := shutil.which(name))), None)


def rendered(command: Sequence[str], *, longest: float = LONGEST) -> str:
    """What the program prints; raises RenderError. It gets no input, so that it asks nothing."""
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=longest, check=False
        )
    except subprocess.TimeoutExpired:
        raise RenderError(f"{name} did not end within {longest:.0f} s") from None
    except OSError as error:
        raise RenderError(f"{name} cannot be run: {error.strerror}") from None
    if done.returncode != 0:
        told = " ".join(done.stderr.decode(errors="replace").split())
        why = told[:_WORDS] or f"it ended with {done.returncode}"
        raise RenderError(f"{name} cannot render this: {why}")
    try:
        return done.stdout.decode("utf-8")
    except UnicodeDecodeError as error:
        raise RenderError(
            f"what {name} rendered is not UTF-8: {error.reason} at byte {error.start}"
        ) from None
