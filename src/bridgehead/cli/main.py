"""The command line's entry: the table of commands, and the one handler of all errors."""

import sys
from collections.abc import Sequence

import click

from bridgehead import __version__
from bridgehead.cli.exits import Exit
from bridgehead.cli.lazy import LazyGroup

COMMANDS = {
    "inventory": ("bridgehead.cli.inventory", "Show what runs where, or how it has changed."),
    "lint": ("bridgehead.cli.lint", "Look for faults in manifests, before anything is changed."),
    "plan": ("bridgehead.cli.plan", "Show which nodes would change when, and what speaks against."),
    "rehearse": ("bridgehead.cli.rehearse", "Play a change on a twin of the cluster, with faults."),
    "rollout": ("bridgehead.cli.rollout", "Change the component, node by node, verified."),
    "pause": ("bridgehead.cli.pause", "Begin nothing new; the former template stands."),
    "resume": ("bridgehead.cli.resume", "Go on after a pause, a hold or an interruption."),
    "approve": ("bridgehead.cli.approve", "Show what waits for consent, and give it."),
    "abort": ("bridgehead.cli.abort", "Take an open run back, whoever is at it."),
    "status": ("bridgehead.cli.status", "Show how runs stand, and what is left of them."),
    "verify": ("bridgehead.cli.verify", "Check that every node offers its devices."),
    "rollback": ("bridgehead.cli.rollback", "Bring the former version back."),
    "diagnose": ("bridgehead.cli.diagnose", "Name what is wrong with devices, why, what to do."),
    "recover": ("bridgehead.cli.recover", "Say which repair is safe where, and do it if told to."),
    "release": ("bridgehead.cli.release", "Give back what a run has left behind."),
    "journal": ("bridgehead.cli.journal", "Print what a run did, when, and with what result."),
    "explain": ("bridgehead.cli.explain", "Show what a rule finds, why it matters, what to do."),
    "twin": ("bridgehead.cli.twin", "Serve a simulated cluster to kubectl and any client."),
    "demo": ("bridgehead.cli.demo", "See it all on a cluster that is simulated in this process."),
}
"""Each command: its module, which holds it under its own name, and its line in the help."""


@click.group(
    cls=LazyGroup,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example:  bridgehead inventory --save before.json",
)
@click.version_option(__version__, message="%(version)s")
def bridgehead() -> None:
    """Take a change of device plugins, DRA drivers or GPU drivers over a cluster, node by node.

    The result goes to stdout, progress and advice to stderr; the exit code tells how it ended.
    """


def main() -> None:
    """Run the command line and leave with its exit code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line; the exit code. Errors are told on stderr with the next command."""
    try:
        code = bridgehead.main(list(arguments), prog_name="bridgehead", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return Exit.USAGE
    except (KeyboardInterrupt, click.Abort):
        return Exit.INTERRUPTED
    except SystemExit as leaving:
        if isinstance(leaving.code, Exit):  # a second signal
            return leaving.code
        # click's answer, with code 1, to a pipe that its reader has closed: no finding of ours.
        return Exit.DONE
    except Exception as error:  # noqa: BLE001 - the one place that turns any error into an ending
        from bridgehead.cli.failures import tell  # noqa: PLC0415 - help must not wait for it

        return tell(error)
    return int(code or 0)
