"""``python -m bridgehead.cli``: print the reference page of commands."""

import click

from bridgehead.cli.reference import reference

if __name__ == "__main__":
    click.echo(reference(), nl=False)
