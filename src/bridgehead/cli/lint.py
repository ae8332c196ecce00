"""``bridgehead lint``: faults of manifests, before anything is changed."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgehead.cli.exits import Exit
from bridgehead.cli.options import StateOptions, output_option, state_options
from bridgehead.cli.say import next_step, say, show

if TYPE_CHECKING:
    from bridgehead.core.findings.observed import Observed
    from bridgehead.core.findings.result import LintResult
    from bridgehead.sources.lintable import Lintable

FORMATS = ("text", "json")


@click.command(epilog="Example:  bridgehead lint deploy/ --context staging")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@state_options
@output_option(*FORMATS)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="The mildest finding that makes the exit code 1.",
)
def lint(paths: tuple[Path, ...], state: StateOptions, output: str, fail_on: str) -> Exit:
    """Look for faults in manifests of device plugins and of the workloads that use them.

    PATH is a file, a folder of files, a kustomization or a chart; - reads rendered manifests from
    the standard input. Without PATH the objects of a cluster, or of a recorded state, are looked
    at. With --context, --kubeconfig or --from, rules judge manifests against that cluster.

    Exit 1 for findings, 2 if a PATH cannot be read, 8 if something else could not be.
    """
    # The rules and the YAML reader: help must not wait for them.
    from bridgehead.app.lint import lint as linted  # noqa: PLC0415

    cluster = _cluster(state) if _with_cluster(paths, state) else None
    result = linted(_source(paths, cluster), cluster)
    show(_shown(result, output))
    return _ending(result, fail_on)


def _with_cluster(paths: tuple[Path, ...], state: StateOptions) -> bool:
    """A cluster is asked only if it is named, or if there is nothing else to look at."""
    named = state.recording, state.cluster.kubeconfig, state.cluster.context
    return not paths or any(named)


def _cluster(state: StateOptions) -> "Observed":
    from bridgehead.app.observed_recording import read_observed  # noqa: PLC0415
    from bridgehead.core.model.problem import problems_text  # noqa: PLC0415

    if state.recording is None:
        raise click.UsageError("name a PATH, or a recorded state with --from")
    recorded = read_observed(state.recording, state.at)
    if recorded.problems:
        say(problems_text(recorded.problems).rstrip())
    return recorded.observed


def _source(paths: tuple[Path, ...], cluster: "Observed | None") -> "Lintable":
    from bridgehead.app.lint import lintable_objects  # noqa: PLC0415
    from bridgehead.sources.lint_files import STDIN, read_paths  # noqa: PLC0415

    if paths or cluster is None:
        return read_paths(paths, sys.stdin.buffer.read() if STDIN in paths else b"")
    return lintable_objects(item for items in cluster.objects.values() for item in items)


def _shown(result: "LintResult", output: str) -> str:
    from bridgehead.report.lint_json import lint_json  # noqa: PLC0415
    from bridgehead.report.lint_text import lint_text  # noqa: PLC0415

    return {"text": lint_text, "json": lint_json}[output](result)


def _ending(result: "LintResult", fail_on: str) -> Exit:
    """What was left out, the exit code, and the next command."""
    from bridgehead.core.findings.finding import Severity  # noqa: PLC0415
    from bridgehead.report.lint_text import remarks  # noqa: PLC0415

    for line in remarks(result):
        say(line)
    complaints = result.at_least(Severity(fail_on))
    if result.asked:
        next_step("see to what could not be read; then the same command again")
        return Exit.USAGE
    if complaints:
        next_step(f"bridgehead explain {complaints[0].finding.rule}")
        return Exit.FINDINGS
    if result.problems or result.failures or result.unread:
        next_step("see to what could not be read; then the same command again")
        return Exit.INCOMPLETE
    next_step("bridgehead plan -f bridgehead.yaml")
    return Exit.DONE
