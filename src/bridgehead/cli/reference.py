"""The reference page of commands, made from what ``--help`` says and from the table of exits."""

from collections.abc import Iterator

import click

from bridgehead.cli.exits import Exit
from bridgehead.cli.main import COMMANDS, bridgehead

HEAD = """\
# Commands

Made from the program by `python -m bridgehead.cli`; a test keeps it current. stdout carries the
result, stderr the progress and the next command.
"""

WIDTH = 100


def reference() -> str:
    """The whole page."""
    return "\n".join([HEAD, *_exits(), *(_command(name) for name in COMMANDS)])


def _exits() -> Iterator[str]:
    yield "## Exit codes\n"
    yield "| exit | meaning |\n|---|---|"
    for item in Exit:
        yield f"| {int(item)} | {MEANINGS[item]} |"
    yield ""


MEANINGS = {
    Exit.DONE: "done, or nothing to complain about; a rollback that brought everything back",
    Exit.FINDINGS: "findings; the plan refuses (nothing changed); a verification failed; drift",
    Exit.USAGE: "wrong usage, or a file that cannot be read: every problem with its place",
    Exit.ROLLED_BACK: "the change failed, and the cluster is back where it was, verified",
    Exit.NEEDS_A_PERSON: "stopped, and a person must look: what, where, and the next command",
    Exit.WAITING: "waiting; the same command goes on later",
    Exit.CANNOT: "no connection to the cluster, or a permission is missing: which one, for whom",
    Exit.LOCKED: "another run holds this component",
    Exit.INCOMPLETE: "found nothing, but not everything that was needed could be read",
    Exit.INTERRUPTED: "interrupted (SIGINT); state is safe, the same command goes on",
    Exit.TERMINATED: "terminated (SIGTERM); state is safe, the same command goes on",
}


def _command(name: str) -> str:
    context = click.Context(bridgehead, info_name="bridgehead", **bridgehead.context_settings)
    command = bridgehead.get_command(context, name)
    assert command is not None
    pages = [_page(command, context, name)]
    if isinstance(command, click.Group):
        inner = click.Context(command, info_name=name, parent=context)
        pages += [
            _page(found, inner, sub)
            for sub in command.list_commands(inner)
            if (found := command.get_command(inner, sub)) is not None
        ]
    return "\n".join(pages)


def _page(command: click.Command, parent: click.Context, name: str) -> str:
    context = click.Context(
        command, info_name=name, parent=parent, terminal_width=WIDTH, max_content_width=WIDTH
    )
    return f"## {context.command_path}\n\n```\n{command.get_help(context)}\n```\n"
