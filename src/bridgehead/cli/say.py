"""What a command prints: the result on stdout; progress, errors and advice on stderr.

A reader that goes away (``| head``) ends the printing, never the command: its exit code tells what
happened in the cluster, not what happened to the output.
"""

import os
import re
import sys
from typing import IO

import click

_WAY = re.compile(r"(?P<why>[^:;]+): (?P<command>bridgehead .+)")
"""One way on, with what it is for."""


def say(text: str) -> None:
    """One line of progress or of an error."""
    _write(text, err=True)


def next_step(text: str) -> None:
    """What to do next: every ending tells one thing, and what else may be done on its own line.

    Ways that are commands of ours, as in ``go on: COMMAND; take all back: COMMAND``, are told with
    the command first, so that the line can be pasted up to its end: the rest is a comment.
    """
    ways = [_WAY.fullmatch(part) for part in text.split("; ")]
    known = [way for way in ways if way is not None]
    if len(known) < len(ways):
        say(f"next: {text}")
        return
    for number, way in enumerate(known):
        say(f"{'or' if number else 'next'}: {way['command']}  # {way['why']}")


def show(text: str) -> None:
    """A part of the result, ended by a newline of its own if it has none."""
    _write(text.removesuffix("\n"), err=False)


def silence(stream: IO[str]) -> None:
    """Send what is still written to a stream without a reader nowhere, its last flush included."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _write(text: str, *, err: bool) -> None:
    try:
        click.echo(text, err=err)
    except BrokenPipeError:
        silence(sys.stderr if err else sys.stdout)
