"""What is told beside the result: on stderr, so that stdout holds the result alone."""

import click


def say(text: str) -> None:
    """One line of progress or of an error."""
    click.echo(text, err=True)


def next_step(text: str) -> None:
    """What to do next: every ending tells one thing."""
    click.echo(f"next: {text}", err=True)
