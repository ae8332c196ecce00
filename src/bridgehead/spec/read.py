"""The text of a spec becomes its settings, or all of its problems."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
from pydantic import ValidationError

from bridgehead.core.model.problem import Problem
from bridgehead.core.plan.settings import RolloutSpec
from bridgehead.spec.build import rollout_spec
from bridgehead.spec.compose import compose
from bridgehead.spec.conditions import check_conditions
from bridgehead.spec.document import Document
from bridgehead.spec.doubts import doubts
from bridgehead.spec.mistakes import mistakes
from bridgehead.spec.models import KIND, RolloutKeys
from bridgehead.spec.reserved import RESERVED_VALUES, not_yet


class SpecAccepted(msgspec.Struct, frozen=True):
    """A spec that can be used; ``text`` read again gives the same settings."""

    spec: RolloutSpec
    warnings: tuple[Problem, ...]
    text: str


class SpecRejected(msgspec.Struct, frozen=True):
    """A spec that cannot be used: everything that is wrong with it, in the order of its lines."""

    problems: tuple[Problem, ...]


SpecResult = SpecAccepted | SpecRejected


def read_spec(text: str, source: str) -> SpecResult:
    """Read a spec; ``source`` is its name in messages. Nothing is raised for a bad spec."""
    document = compose(text, source)
    other = _other_kind(document)
    if other is not None:
        return SpecRejected(_sorted([*document.problems, other]))
    if document.problems and not document.value:
        return SpecRejected(_sorted(document.problems))
    read = _settings(document)
    problems = [*document.problems, *check_conditions(document)]
    if isinstance(read, ValidationError):
        problems += mistakes(document, read)
    elif not problems:
        warnings = (msgspec.structs.replace(p, warning=True) for p in doubts(document, read))
        return SpecAccepted(read, _sorted(warnings), text)
    return SpecRejected(_sorted(problems))


def read_spec_file(path: Path) -> SpecResult:
    """Read a spec from a file; one that cannot be read is a problem like any other."""
    try:
        return read_spec(path.read_text(encoding="utf-8"), str(path))
    except UnicodeDecodeError as error:
        return _unreadable(path, f"the file is not UTF-8: {error.reason} at byte {error.start}")
    except OSError as error:
        return _unreadable(path, f"the file cannot be read: {error.strerror}")


def _unreadable(path: Path, message: str) -> SpecRejected:
    return SpecRejected((Problem(file=str(path), line=1, column=1, message=message),))


def _settings(document: Document) -> RolloutSpec | ValidationError:
    try:
        return rollout_spec(RolloutKeys.model_validate(document.value))
    except ValidationError as error:
        return error


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
