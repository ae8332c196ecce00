"""What a command prints: the result on stdout; progress, errors and advice on stderr.

A reader that goes away (``| head``) ends the printing, never the command: its exit code tells what
happened in the cluster, not what happened to the output.
"""

import os
import sys
from typing import IO

import click


def say(text: str) -> None:
    """One line of progress or of an error."""
    _write(text, err=True)


def next_step(text: str) -> None:
    """What to do next: every ending tells one thing."""
    say(f"next: {text}")


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
