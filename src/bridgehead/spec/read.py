"""The text of a spec becomes its settings, or all of its problems."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
from pydantic import ValidationError

from bridgehead.core.model.problem import Problem, Unfit
from bridgehead.core.plan.settings import ComponentRef, ManifestChange, RolloutSpec
from bridgehead.spec.build import component_ref, images_change, rollout_spec
from bridgehead.spec.compose import compose
from bridgehead.spec.conditions import check_conditions
from bridgehead.spec.document import Document
from bridgehead.spec.doubts import doubts
from bridgehead.spec.mistakes import mistakes
from bridgehead.spec.models import KIND, RolloutKeys
from bridgehead.spec.reserved import RESERVED_VALUES, not_yet


class SpecAccepted(msgspec.Struct, frozen=True):
    """A spec that can be used; ``text`` read beside the same files gives these settings again."""

    spec: RolloutSpec
    warnings: tuple[Problem, ...]
    text: str


class SpecRejected(msgspec.Struct, frozen=True):
    """A spec that cannot be used: everything that is wrong with it, in the order of its lines."""

    problems: tuple[Problem, ...]


SpecResult = SpecAccepted | SpecRejected


ManifestReader = Callable[[str, ComponentRef], ManifestChange | Unfit]
"""Reads what a spec names under ``change.manifests``, by the path as written."""


def read_spec(text: str, source: str, manifests: ManifestReader | None = None) -> SpecResult:
    """Read a spec; ``source`` is its name in messages. Nothing is raised for a bad spec.

    Without ``manifests`` the text stands alone, and a path in it leads nowhere.
    """
    document = compose(text, source)
    other = _other_kind(document)
    if other is not None:
        return SpecRejected(_sorted([*document.problems, other]))
    if document.problems and not document.value:
        return SpecRejected(_sorted(document.problems))
    read = _settings(document, manifests)
    problems = [*document.problems, *check_conditions(document)]
    if isinstance(read, ValidationError):
        problems += mistakes(document, read)
    elif isinstance(read, Unfit):
        problems += _unfit(document, read)
    elif not problems:
        warnings = (msgspec.structs.replace(p, warning=True) for p in doubts(document, read))
        return SpecAccepted(read, _sorted(warnings), text)
    return SpecRejected(_sorted(problems))


def read_spec_file(path: Path, manifests: ManifestReader | None = None) -> SpecResult:
    """Read a spec from a file; one that cannot be read is a problem like any other."""
    try:
        return read_spec(path.read_text(encoding="utf-8"), str(path), manifests)
    except UnicodeDecodeError as error:
        return _unreadable(path, f"the file is not UTF-8: {error.reason} at byte {error.start}")
    except OSError as error:
        return _unreadable(path, f"the file cannot be read: {error.strerror}")


def _unreadable(path: Path, message: str) -> SpecRejected:
    return SpecRejected((Problem(file=str(path), line=1, column=1, message=message),))


def _settings(
    document: Document, manifests: ManifestReader | None
) -> RolloutSpec | ValidationError | Unfit:
    try:
        keys = RolloutKeys.model_validate(document.value)
    except ValidationError as error:
        return error
    path = keys.change.manifests
    if path is None or keys.change.images is not None:  # both: that is told as a condition
        return rollout_spec(keys, images_change(keys))
    if manifests is None:
        return Unfit("there is no folder to find it in: read the spec from a file")
    change = manifests(path, component_ref(keys))
    return change if isinstance(change, Unfit) else rollout_spec(keys, change)


def _unfit(document: Document, read: Unfit) -> Iterator[Problem]:
    """What is wrong within the manifests at their places, all else at the key that names them."""
    if read.message:
        message = f"change.manifests: {read.message}"
        yield document.at_value(("change", "manifests"), message, read.suggestion)
    yield from read.problems


def _other_kind(document: Document) -> Problem | None:
    """A problem if this is another kind of document, whose keys are not ours."""
    kind = document.get("kind")
    if not isinstance(kind, str) or kind.lower() == KIND.lower() or document.has("component"):
        return None
    if kind in RESERVED_VALUES["kind",]:
        return document.at_value(("kind",), not_yet(f"kind: {kind}"))
    return document.at_value(("kind",), f"kind: expected {KIND}, found {kind}")


def _sorted(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=lambda problem: (problem.line, problem.column)))
