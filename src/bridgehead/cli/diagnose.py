"""``bridgehead diagnose``: what went wrong with devices, why, and what to do first."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from bridgehead.app.component_ref import BadReferenceError, parse_component
from bridgehead.cli.exits import Exit
from bridgehead.cli.options import StateOptions, output_option, state_options
from bridgehead.cli.registry import RegistryOptions, registry_options
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.sessions import client
from bridgehead.cli.state_namespace import as_arguments, state_namespace_option
from bridgehead.cli.surroundings import here, run_here

if TYPE_CHECKING:
    from bridgehead.app.history import Baseline
    from bridgehead.app.reader import Looked
    from bridgehead.core.diagnose.diagnosis import Diagnosis
    from bridgehead.core.diagnose.question import Question
    from bridgehead.core.findings.observed import Observed
    from bridgehead.core.model.problem import Problem
    from bridgehead.core.model.snapshot import Unread
    from bridgehead.kube.client import Kube


@click.command(epilog="Example:  bridgehead diagnose daemonset/gpu/nvidia-device-plugin")
@click.argument("component", metavar="[COMPONENT]", required=False)
@state_options
@output_option("text", "json", "markdown")
@state_namespace_option
@click.option("--node", "nodes", multiple=True, help="Only what concerns this node; repeatable.")
@click.option(
    "--baseline",
    type=click.Path(exists=True, path_type=Path),
    help="A saved inventory that says what nodes offered before (default: the last run's record).",
)
@click.option(
    "--save",
    type=click.Path(file_okay=False, path_type=Path),
    help="Also write all that was looked at to this folder, secrets taken out; --from reads it.",
)
@click.option(
    "--reader-image",
    metavar="IMAGE",
    help="With --node: read files of the node by a short-lived pod of this image, any with a "
    "shell (default: as the last run's spec allows).",
)
@registry_options(asks=True)
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info"]),
    default="error",
    show_default=True,
    help="The mildest cause that makes the exit code 1.",
)
def diagnose(
    component: str | None,
    state: StateOptions,
    output: str,
    state_namespace: str,
    nodes: tuple[str, ...],
    baseline: Path | None,
    save: Path | None,
    reader_image: str | None,
    registry: RegistryOptions,
    fail_on: str,
) -> Exit:
    """Name what is wrong with device plugins and devices, with proof, and what to do.

    Reads only; with --reader-image a pod reads files of a node, and is removed. Registries are
    asked for images that do not start, with the logins of docker and podman.

    Exit 1 for causes at or above --fail-on, 8 if nothing was found and something was not read,
    or has begun so lately that it says nothing yet.
    """
    # The rules and the YAML reader: help must not wait for them.
    from bridgehead.app.diagnose import diagnosed  # noqa: PLC0415
    from bridgehead.core.diagnose.question import Question, not_there  # noqa: PLC0415
    from bridgehead.core.diagnose.scene import Scene  # noqa: PLC0415

    if reader_image and (not nodes or state.recording is not None):
        raise click.UsageError("--reader-image goes with --node, and with a live cluster")
    question = Question(component=_ref(component), nodes=nodes)
    hints: list[str] = []
    observed = _observed(
        state, question, state_namespace, baseline, reader_image or "", registry, hints
    )
    found = diagnosed(observed, question)
    if save is not None:
        _save(observed, save)
    where = _where(state, state_namespace)
    absent = "" if found.causes else not_there(Scene(observed), question)
    if absent:
        from bridgehead.cli.endings import not_begun  # noqa: PLC0415

        not_begun(output, Exit.USAGE, absent)
        next_step(f"bridgehead diagnose{_again(None, (), None, baseline, registry)}{where}")
        return Exit.USAGE
    for hint in hints:
        say(hint)
    found = _at_its_cluster(found, where)
    show(_shown(found, output))
    again = _again(component, nodes, reader_image, baseline, registry)
    return _ending(found, fail_on, again, where, recorded=state.recording is not None)


def _where(state: StateOptions, state_namespace: str) -> str:
    """The arguments that say what is asked: a recording, or a cluster with its records."""
    recorded = state.recording is not None
    return state.as_arguments if recorded else as_arguments(state.cluster, state_namespace)


def _again(
    component: str | None,
    nodes: tuple[str, ...],
    reader_image: str | None,
    baseline: Path | None,
    registry: RegistryOptions,
) -> str:
    """The arguments that make the same question, but for where it is asked."""
    words = [
        *([component] if component else []),
        *(word for name in nodes for word in ("--node", name)),
        *(["--reader-image", reader_image] if reader_image else []),
        *(["--baseline", str(baseline)] if baseline else []),
        *([] if registry.asks else ["--no-registry"]),
        *(word for host in registry.plain_http for word in ("--plain-http", host)),
    ]
    return "".join(f" {shlex.quote(word)}" for word in words)


def _at_its_cluster(found: "Diagnosis", where: str) -> "Diagnosis":
    """The same, with commands that go to the cluster that was read, whatever the current one is."""
    import msgspec  # noqa: PLC0415

    from bridgehead.cli.ways import aimed  # noqa: PLC0415

    causes = (
        msgspec.structs.replace(
            cause,
            actions=tuple(
                msgspec.structs.replace(act, command=aimed(act.command, where))
                for act in cause.actions
            ),
        )
        for cause in found.causes
    )
    return msgspec.structs.replace(found, causes=tuple(causes))


def _ref(component: str | None) -> str:
    """The component as rules name it. Raises click.UsageError."""
    if component is None:
        return ""
    try:
        ref = parse_component(component)
    except BadReferenceError as error:
        raise click.UsageError(str(error)) from error
    return f"daemonset/{ref.namespace}/{ref.name}"


def _observed(
    state: StateOptions,
    question: "Question",
    state_namespace: str,
    baseline: Path | None,
    reader_image: str,
    registry: RegistryOptions,
    hints: list[str],
) -> "Observed":
    """What is asked about. ``hints`` gets what is to be said if that is there at all."""
    before = _before(baseline)
    extra = (before.history,) if before is not None else ()
    lacking = before.unread if before is not None else ()
    if state.recording is not None:
        from bridgehead.app.observed_recording import read_observed  # noqa: PLC0415

        recorded = read_observed(state.recording, state.at, extra=extra)
        _tell(recorded.problems)
        return _lacking(recorded.observed, lacking)
    from bridgehead.app.diagnose import observe  # noqa: PLC0415

    found: list[Observed] = []

    async def read() -> None:
        async with client(state.cluster) as kube:
            looked = await _files(kube, question, state_namespace, reader_image, hints)
            found.append(
                await observe(
                    kube,
                    question,
                    now=here().clock(),
                    state_namespace=state_namespace,
                    extra=(*extra, *looked.objects),
                    unread=(*lacking, *looked.unread),
                )
            )
        if registry.asks:
            found[0] = await _with_registry(found[0], registry)

    run_here(read())
    return found[0]


def _before(path: Path | None) -> "Baseline | None":
    """What nodes offered before, as the user has it; what is wrong with it is said."""
    if path is None:
        return None
    from bridgehead.app.history import baseline_of  # noqa: PLC0415

    found = baseline_of(path)
    _tell(found.problems)
    return found


def _tell(problems: "tuple[Problem, ...]") -> None:
    from bridgehead.core.model.problem import problems_text  # noqa: PLC0415

    if problems:
        say(problems_text(problems).rstrip())


def _lacking(observed: "Observed", unread: "tuple[Unread, ...]") -> "Observed":
    import msgspec  # noqa: PLC0415

    return msgspec.structs.replace(observed, unread=(*observed.unread, *unread))


async def _with_registry(observed: "Observed", registry: RegistryOptions) -> "Observed":
    """With what registries say of images that do not start."""
    from bridgehead.app.registry_answers import (  # noqa: PLC0415
        MOST_IMAGES,
        images_in_trouble,
        with_registry,
    )
    from bridgehead.images.registry import registries  # noqa: PLC0415

    async with registries(registry.plain_http) as asked:
        return await with_registry(observed, images_in_trouble(observed), asked, MOST_IMAGES)


async def _files(
    kube: "Kube", question: "Question", state_namespace: str, image: str, hints: list[str]
) -> "Looked":
    """What a reader pod sees of the nodes, where somebody allows one; else it is to be said."""
    from bridgehead.app.reader import Looked, allowed_image, look_at  # noqa: PLC0415

    if not question.nodes:
        return Looked()
    ref = parse_component(question.component) if question.component else None
    chosen = image or await allowed_image(kube, state_namespace, ref)
    if not chosen:
        names = ", ".join(question.nodes)
        hints.append(
            f"files of {names} are not looked at: name an image with a shell, --reader-image IMAGE"
        )
        return Looked()
    return await look_at(
        kube,
        question.nodes,
        image=chosen,
        state_namespace=state_namespace,
        clock=here().clock,
    )


def _shown(found: "Diagnosis", output: str) -> str:
    from bridgehead.report.diagnosis_json import diagnosis_json  # noqa: PLC0415
    from bridgehead.report.diagnosis_markdown import diagnosis_markdown  # noqa: PLC0415
    from bridgehead.report.diagnosis_text import diagnosis_text  # noqa: PLC0415
    from bridgehead.report.inventory import pretty_json  # noqa: PLC0415

    match output:
        case "json":
            return pretty_json(diagnosis_json(found))
        case "markdown":
            return diagnosis_markdown(found)
        case _:
            return diagnosis_text(found)


def _save(observed: "Observed", folder: Path) -> None:
    from bridgehead.app.saving import NotEmptyError, save_observed  # noqa: PLC0415

    try:
        save_observed(observed, folder)
    except NotEmptyError as error:
        raise click.UsageError(str(error)) from error
    except OSError as error:
        raise click.UsageError(f"cannot write {folder}: {error.strerror}") from error
    say(f"saved to {folder}")


def _ending(found: "Diagnosis", fail_on: str, again: str, where: str, *, recorded: bool) -> Exit:
    """What could not be read, the exit code, and the next command."""
    from bridgehead.core.findings.finding import Severity  # noqa: PLC0415

    for item in found.unread:
        say(f"not read: {item.what}: {item.why}")
    first = next((item for item in found.causes if item.severity is not Severity.INFO), None)
    threshold = Severity(fail_on).rank
    failing = any(item.severity.rank <= threshold for item in found.causes)
    if failing or first is not None:
        commands = (act.command for act in found.causes[0].actions if act.command)
        next_step(next(commands, f"bridgehead explain {found.causes[0].rule}"))
        return Exit.FINDINGS if failing else Exit.DONE
    if found.healthy is None:
        next_step(f"{_before_again(found, recorded=recorded)} bridgehead diagnose{again}{where}")
        return Exit.INCOMPLETE
    next_step(f"bridgehead inventory{where}")
    return Exit.DONE


def _before_again(found: "Diagnosis", *, recorded: bool) -> str:
    """What has to be done, or waited for, before the same question has an answer."""
    grants = sorted({item.grant for item in found.unread if item.grant})
    if grants:
        return f"grant: {', '.join(grants)}; then"
    if found.unread or not found.too_early:
        return "record what is missing; then" if recorded else _once_readable(found)
    if recorded:
        return f"record the cluster again, {found.again} s later; then"
    return f"sleep {found.again};"


def _once_readable(found: "Diagnosis") -> str:
    """What a person has to see to, so that a cluster can be read."""
    from bridgehead.cluster.reader import NOT_PULLED  # noqa: PLC0415

    if any(NOT_PULLED in item.why for item in found.unread):
        return f"the reader's image {NOT_PULLED}: see to it, or name another; then"
    return "see to what could not be read; then"
