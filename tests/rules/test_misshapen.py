"""Manifests may hold anything anywhere: no rule of lint fails over it."""

import copy
from collections.abc import Iterable, Iterator
from typing import Any

import pytest

from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.runner import ask_lint
from bridgehead.rules.lint.catalogue import LINT
from bridgehead.sources.positions import manifests_in
from tests.rules.cases import Case, cases_of, file_of, observed

SHAPES: tuple[Any, ...] = (None, "text", -1, ["text"], [None], {"name": None})


def _paths(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    entries: Iterable[tuple[str | int, Any]] = value.items() if isinstance(value, dict) else ()
    entries = enumerate(value) if isinstance(value, list) else entries
    for step, inner in entries:
        yield (*path, step)
        yield from _paths(inner, (*path, step))


def _with(data: Any, path: tuple[str | int, ...], value: Any) -> Any:
    """The same with another value at a path; only what is around it is copied."""
    if not path:
        return copy.deepcopy(value)
    changed = copy.copy(data)
    changed[path[0]] = _with(data[path[0]], path[1:], value)
    return changed


def _misshapen(case: Case) -> Iterator[tuple[Manifest, ...]]:
    whole = manifests_in(case.manifests, "case.yaml")
    for number, manifest in enumerate(whole):
        for path in _paths(manifest.data):
            if path in {("kind",), ("apiVersion",)}:
                continue  # then it is another object, or none
            for shape in SHAPES:
                other = Manifest(data=_with(manifest.data, path, shape), file="f", line=1)
                yield (*whole[:number], other, *whole[number + 1 :])


@pytest.mark.parametrize("rule", LINT, ids=lambda rule: rule.name)
def test_no_shape_of_a_value_makes_a_rule_fail(rule: LintRule) -> None:
    assert file_of(rule).exists()
    failures: dict[str, object] = {}
    for case in cases_of(rule).fires[:3]:
        cluster = None if case.cluster is None else observed(case)
        for manifests in _misshapen(case):
            answers = ask_lint([rule], Linted(manifests=manifests, cluster=cluster))
            for failure in answers.failures:
                failures.setdefault(failure.error, manifests[0].data)
    assert failures == {}
