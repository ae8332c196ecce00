"""``bridgehead demo``: the whole product on a simulated cluster, in this process."""

import sys
from collections.abc import Sequence

import click

from bridgehead.cli.exits import Exit
from bridgehead.cli.say import next_step, say
from bridgehead.twin.demos.script import DEFAULT, names, script


@click.command(epilog="Example:  bridgehead demo --list")
@click.argument("name", default=DEFAULT)
@click.option("--list", "listed", is_flag=True, help="Name all demonstrations, and what they show.")
@click.option("--fast", is_flag=True, help="Without pauses for the viewer.")
def demo(name: str, listed: bool, fast: bool) -> Exit:
    """Release good and bad versions to a cluster that is simulated in this process.

    Nothing outside of it is read or changed; nothing but Python is needed. The rollout is the real
    one, its time is simulated: minutes of soaking pass at once.
    """
    if listed:
        _list()
        return Exit.DONE
    if name not in names():
        say(f"error: there is no demonstration {name}; there are {', '.join(names())}")
        next_step("bridgehead demo --list")
        return Exit.USAGE
    from bridgehead.app.demo import play  # noqa: PLC0415 - help cannot wait for the twin
    from bridgehead.cli.demo_view import Screen  # noqa: PLC0415
    from bridgehead.cli.demo_words import Words  # noqa: PLC0415

    played = script(name)
    with Screen(sys.stdout, hurry=fast) as screen:
        words = Words(screen, played)
        words.begin()
        words.end(*play(played, words))
    next_step("bridgehead inventory, with your kubeconfig: it only reads")
    return Exit.DONE


def _list() -> None:
    rows: Sequence[str] = names()
    width = max(len(name) for name in rows)
    for name in rows:
        click.echo(f"{name:{width}}  {script(name).title}")
