"""``bridgehead lint``: faults of manifests, before anything is changed."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from bridgehead.cli.exits import Exit
from bridgehead.cli.options import ClusterOptions, StateOptions, output_option, state_options
from bridgehead.cli.registry import RegistryOptions, registry_options
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.surroundings import here, run_here

if TYPE_CHECKING:
    from bridgehead.app.observed_recording import ObservedRecording
    from bridgehead.core.findings.observed import Observed
    from bridgehead.core.findings.result import LintResult
    from bridgehead.sources.lintable import Lintable

FORMATS = ("text", "json", "sarif", "junit", "github")
_SPEC = "bridgehead.yaml"
"""Where a spec stands by custom."""
_AGAIN = "see to what could not be read; then the same command again"


class Complaints(msgspec.Struct, frozen=True):
    """What counts: from which severity on, and what is known already.

    ``baseline`` is a file of old findings; ``write`` makes it instead of reading it.
    """

    fail_on: str
    baseline: Path | None
    write: bool


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
@click.option(
    "--baseline",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of old findings, which are counted and not complained about.",
)
@click.option("--write-baseline", is_flag=True, help="Write all findings to the baseline file.")
@registry_options(asks=False)
@click.option("--fix", is_flag=True, help="Show the changes that cannot hurt, as a diff.")
@click.option("--yes", is_flag=True, help="With --fix: write these changes into the files.")
def lint(
    paths: tuple[Path, ...],
    state: StateOptions,
    output: str,
    fail_on: str,
    baseline: Path | None,
    write_baseline: bool,
    registry: RegistryOptions,
    fix: bool,
    yes: bool,
) -> Exit:
    """Look for faults in manifests of device plugins and of the workloads that use them.

    PATH is a file, a folder of files, a kustomization or a chart; - reads rendered manifests from
    the standard input. Without PATH the objects of a cluster, or of a recorded state, are looked
    at. With --context, --kubeconfig or --from, rules judge manifests against that cluster.

    Exit 1 for findings, 2 if a PATH cannot be read, 8 if something else could not be.
    """
    _check_usage(output, write=write_baseline, baseline=baseline, fix=fix, yes=yes)
    complaints = Complaints(fail_on, baseline, write_baseline)
    known = _known(complaints)
    stdin = sys.stdin.buffer.read() if Path("-") in paths else b""
    read = _read(paths, stdin)
    cluster = _cluster(state, read) if _with_cluster(paths, state) else None
    if registry.asks:
        cluster = run_here(_with_registry(cluster, read, registry))
    found = _linted(read, cluster, known)
    if fix and _fixed(found, write=yes):
        found = _linted(_read(paths, stdin), cluster, known)
    show(_shown(found, output, fail_on))
    return _ending(found, complaints, with_cluster=_with_cluster(paths, state))


def _check_usage(output: str, *, write: bool, baseline: Path | None, fix: bool, yes: bool) -> None:
    if write and baseline is None:
        raise click.UsageError("--write-baseline needs --baseline FILE, the file to write")
    if yes and not fix:
        raise click.UsageError("--yes goes with --fix")
    if fix and output != "text":
        raise click.UsageError("--fix shows a diff, so it goes with -o text")


def _with_cluster(paths: tuple[Path, ...], state: StateOptions) -> bool:
    """A cluster is asked only if it is named, or if there is nothing else to look at."""
    named = state.recording, state.cluster.kubeconfig, state.cluster.context
    return not paths or any(named)


def _read(paths: tuple[Path, ...], stdin: bytes) -> "Lintable | None":
    """What is at the paths; None without any: then the cluster's own objects are looked at."""
    # The YAML reader: help must not wait for it.
    from bridgehead.sources.lint_files import read_paths  # noqa: PLC0415

    return read_paths(paths, stdin) if paths else None


def _cluster(state: StateOptions, read: "Lintable | None") -> "ObservedRecording":
    """What rules of lint want to see of it, and no more."""
    from bridgehead.app.observed_recording import read_observed  # noqa: PLC0415

    if state.recording is not None:
        return read_observed(state.recording, state.at)
    return run_here(_live(state.cluster, read))


async def _live(cluster: ClusterOptions, read: "Lintable | None") -> "ObservedRecording":
    from bridgehead.app.gathering import gather  # noqa: PLC0415
    from bridgehead.app.lint import namespaces_of, reading_for  # noqa: PLC0415
    from bridgehead.app.lint_access import with_access  # noqa: PLC0415
    from bridgehead.app.observed_recording import ObservedRecording  # noqa: PLC0415
    from bridgehead.app.pod_dry_runs import with_trials_of_manifests  # noqa: PLC0415
    from bridgehead.cli.sessions import client  # noqa: PLC0415
    from bridgehead.core.findings.needs import Need  # noqa: PLC0415
    from bridgehead.rules.lint.catalogue import LINT  # noqa: PLC0415

    reading = reading_for(LINT, read)
    async with client(cluster) as kube:
        found = await gather(
            kube,
            reading.needs,
            now=here().clock(),
            namespaces=namespaces_of(read) if read is not None else (),
            on_occasion=reading.on_occasion,
        )
        looked_at = read if read is not None else _own_objects(found)
        if Need.ACCESS in reading.needs:
            found = await with_access(kube, found, looked_at.units)
        if Need.DRY_RUNS in reading.needs:
            found = await with_trials_of_manifests(kube, found, looked_at.units)
        return ObservedRecording(found)


async def _with_registry(
    cluster: "ObservedRecording | None", read: "Lintable | None", registry: RegistryOptions
) -> "ObservedRecording":
    """With what registries say of the plugins' images; that needs no cluster."""
    from bridgehead.app.observed_recording import ObservedRecording  # noqa: PLC0415
    from bridgehead.app.observing import observed_from  # noqa: PLC0415
    from bridgehead.app.registry_answers import images_of_plugins, with_registry  # noqa: PLC0415
    from bridgehead.images.registry import registries  # noqa: PLC0415

    if cluster is None:
        cluster = ObservedRecording(observed_from((), at=here().clock()))
    looked_at = read if read is not None else _own_objects(cluster.observed)
    images = images_of_plugins(looked_at.units)
    async with registries(registry.plain_http) as asked:
        found = await with_registry(cluster.observed, images, asked)
    return msgspec.structs.replace(cluster, observed=found)


def _own_objects(cluster: "Observed") -> "Lintable":
    from bridgehead.app.lint import lintable_objects  # noqa: PLC0415

    return lintable_objects(item for items in cluster.objects.values() for item in items)


def _linted(
    read: "Lintable | None", cluster: "ObservedRecording | None", known: dict[str, int]
) -> "LintResult":
    from bridgehead.app.lint import lint as linted  # noqa: PLC0415
    from bridgehead.app.lint import with_problems  # noqa: PLC0415

    observed = cluster.observed if cluster is not None else None
    if read is None:
        assert observed is not None
        read = _own_objects(observed)
    if cluster is not None:
        read = with_problems(read, cluster.problems)
    return linted(read, observed, known)


def _known(complaints: Complaints) -> dict[str, int]:
    """The fingerprints of the baseline; none where it is being written."""
    from bridgehead.core.findings.baseline import SCHEMA, known_in  # noqa: PLC0415

    if complaints.baseline is None or complaints.write:
        return {}
    try:
        document = msgspec.json.decode(complaints.baseline.read_bytes())
    except OSError as error:
        raise click.UsageError(
            f"the baseline {complaints.baseline} cannot be read: {error.strerror}; "
            "--write-baseline makes it"
        ) from error
    except msgspec.DecodeError as error:
        raise click.UsageError(f"{complaints.baseline} is no baseline: {error}") from error
    known = known_in(document) if isinstance(document, dict) else None
    if known is None:
        raise click.UsageError(f"{complaints.baseline} is no baseline: its schema is not {SCHEMA}")
    return dict(known)


def _fixed(result: "LintResult", *, write: bool) -> bool:
    """Show what can be mended and, if asked, write it; whether anything was written."""
    from bridgehead.app.lint_fixes import mending  # noqa: PLC0415

    found = mending(result.findings)
    for file in found.files:
        show(file.diff)
    for item, why in found.left:
        said = item.finding
        say(f"not mended: {said.rule} of {said.object} in {said.file}:{said.line}: {why}")
    if not found.files:
        say("there is nothing that can be mended without harm")
        return False
    if not write:
        say("nothing was written: the same command with --yes writes these changes")
        return False
    for file in found.files:
        try:
            file.write()
        except OSError as error:
            raise click.UsageError(f"cannot write {file.path}: {error.strerror}") from error
        say(f"written: {file.path}")
    return True


def _shown(result: "LintResult", output: str, fail_on: str) -> str:
    from bridgehead.core.findings.finding import Severity  # noqa: PLC0415
    from bridgehead.report.github import lint_github  # noqa: PLC0415
    from bridgehead.report.junit import lint_junit  # noqa: PLC0415
    from bridgehead.report.lint_json import lint_json  # noqa: PLC0415
    from bridgehead.report.lint_text import lint_text  # noqa: PLC0415
    from bridgehead.report.sarif import lint_sarif  # noqa: PLC0415
    from bridgehead.rules.lint.catalogue import FILES, LINT  # noqa: PLC0415

    forms: dict[str, Callable[[LintResult], str]] = {
        "text": lint_text,
        "json": lint_json,
        "sarif": lambda found: lint_sarif(found, (*LINT, *FILES)),
        "junit": lambda found: lint_junit(found, Severity(fail_on)),
        "github": lint_github,
    }
    return forms[output](result)


def _ending(result: "LintResult", complaints: Complaints, *, with_cluster: bool) -> Exit:
    """What was left out, the exit code, and the next command."""
    from bridgehead.core.findings.finding import Severity  # noqa: PLC0415
    from bridgehead.report.lint_text import remarks  # noqa: PLC0415

    for line in remarks(result, with_cluster=with_cluster):
        say(line)
    worst = () if complaints.write else result.at_least(Severity(complaints.fail_on))
    if complaints.baseline is not None and complaints.write:
        _write_baseline(complaints.baseline, result)
    if result.asked:
        next_step(_AGAIN)
        return Exit.USAGE
    if worst:
        next_step(f"bridgehead explain {worst[0].finding.rule}")
        return Exit.FINDINGS
    if result.problems or result.failures or result.unread:
        grants = sorted({item.grant for item in result.unread if item.grant})
        next_step(f"grant: {', '.join(grants)}; then the same command again" if grants else _AGAIN)
        return Exit.INCOMPLETE
    next_step(_after(with_cluster=with_cluster))
    return Exit.DONE


def _after(*, with_cluster: bool) -> str:
    """The command that follows where nothing is found."""
    if Path(_SPEC).is_file():
        return f"bridgehead plan -f {_SPEC}"
    if not with_cluster:
        return "the same command with --context NAME: rules then see the cluster too"
    return "bridgehead inventory  # what runs where; a spec names one of its components"


def _write_baseline(path: Path, result: "LintResult") -> None:
    from bridgehead.core.findings.baseline import baseline_of  # noqa: PLC0415
    from bridgehead.report.inventory import pretty_json  # noqa: PLC0415

    try:
        path.write_text(pretty_json(baseline_of(result.findings)), encoding="utf-8")
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from error
    say(f"written: {path}")
