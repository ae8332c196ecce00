"""A group that imports a command only when it is called: help must not wait for a client."""

from collections.abc import Mapping
from importlib import import_module

import click
import click.shell_completion


class LazyGroup(click.Group):
    """Commands by name, each as (module, one line of help); the module holds it by its name."""

    def __init__(self, *, table: Mapping[str, tuple[str, str]], **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._table = table

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Names in the order of the table: the order in which a rollout uses them."""
        return list(self._table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The command, imported now; None for an unknown name."""
        if cmd_name not in self._table:
            return None
        command = getattr(import_module(self._table[cmd_name][0]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """The list of commands from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in self._table.items()])
