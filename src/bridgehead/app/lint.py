"""Lint: rules about what was read, with what comments, a baseline and a cluster say to it."""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

import msgspec

from bridgehead.core.findings.baseline import part
from bridgehead.core.findings.finding import Finding, NotKnown, ObjectRef, RuleFailure
from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.findings.needs import OF_SOME_CLUSTERS, Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.occasions import occasions
from bridgehead.core.findings.result import LintResult, Reported, in_order, reported
from bridgehead.core.findings.rule import FileRule, LintRule
from bridgehead.core.findings.runner import ask_lint
from bridgehead.core.findings.suppression import Ignore, sift
from bridgehead.core.model.json import JsonObject, children
from bridgehead.core.model.problem import Problem
from bridgehead.core.model.snapshot import OrderedUnread, Unread
from bridgehead.rules.lint.catalogue import FILES, LINT, lint_rule_named
from bridgehead.sources.embedded import embedded_in
from bridgehead.sources.lintable import Lintable, Unit
from bridgehead.sources.manifests import read_manifests

_OBJECTS = frozenset(
    {
        Need.DAEMON_SETS,
        Need.DEPLOYMENTS,
        Need.STATEFUL_SETS,
        Need.JOBS,
        Need.PODS,
        Need.CONFIG_MAPS,
    }
)
"""Objects in which faults are looked for where no manifests were given."""


class Asked(msgspec.Struct):
    """What all units together made the rules say."""

    found: list[Reported] = []
    not_known: dict[tuple[str, str], NotKnown] = {}
    failures: dict[tuple[str, str], RuleFailure] = {}


def lint(
    source: Lintable,
    cluster: Observed | None,
    known: Mapping[str, int] | None = None,
    rules: Sequence[LintRule] = LINT,
) -> LintResult:
    """Everything that rules say of what was read; ``known`` are a baseline's fingerprints."""
    asked = Asked()
    units = [_written(unit) for unit in source.units]
    for unit in units:
        _ask(rules, unit, cluster, asked)
    asked.found.extend(_of_specs(source.specs))
    sifted = sift(in_order(asked.found), source.ignores)
    own = _of_comments(source.ignores, sifted.idle, _silent(asked))
    parted = part(in_order((*sifted.standing, *own)), known or {})
    return LintResult(
        findings=parted.new,
        aside=tuple((item, ignore.reason) for item, ignore in sifted.aside),
        old=parted.old,
        gone=parted.gone,
        not_known=tuple(asked.not_known[key] for key in sorted(asked.not_known)),
        failures=tuple(asked.failures[key] for key in sorted(asked.failures)),
        problems=source.problems,
        asked=source.asked,
        passed_over=source.passed_over,
        unread=_missed(cluster),
        objects=sum(len(unit.manifests) for unit in units),
        specs=len(source.specs),
        files=source.files,
    )


def _missed(cluster: Observed | None) -> tuple[Unread, ...]:
    """What could not be read though it was there, or was asked for: a permission was missing.

    What a recording does not hold is told by the rules that ask for it.
    """
    return (
        tuple(item for item in cluster.unread if item.grant or isinstance(item, OrderedUnread))
        if cluster is not None
        else ()
    )


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What is read of a cluster, and what only if the cluster itself gives a reason."""

    needs: frozenset[Need]
    on_occasion: frozenset[Need] = frozenset()


def reading_for(rules: Iterable[LintRule], source: Lintable | None) -> Reading:
    """What rules ask for or are helped by, and no more than there is a reason for.

    Without a source faults are looked for in the cluster's own objects.
    """
    asked = frozenset(need for rule in rules for need in (*rule.needs, *rule.helped_by))
    of_some = asked & OF_SOME_CLUSTERS
    if source is None:
        return Reading(needs=asked - of_some | _OBJECTS, on_occasion=of_some)
    given = occasions(item for unit in source.units for item in unit.manifests)
    return Reading(needs=asked - of_some | of_some & given)


def lintable_objects(objects: Iterable[JsonObject]) -> Lintable:
    """A cluster's own objects."""
    manifests = tuple(Manifest(data=item, texts=embedded_in(item)) for item in objects)
    return Lintable(units=(Unit(manifests=manifests, complete=True),))


def namespaces_of(source: Lintable) -> tuple[str, ...]:
    """Where the objects go: to be read where the whole cluster may not be."""
    named = {item.ref.namespace for unit in source.units for item in unit.manifests}
    return tuple(sorted(named - {""}))


def with_problems(source: Lintable, problems: Iterable[Problem]) -> Lintable:
    """The same, with files of a recorded state that could not be read; warnings are no problem."""
    more = tuple(item for item in problems if not item.warning)
    return msgspec.structs.replace(source, problems=(*source.problems, *more))


def _written(unit: Unit) -> Unit:
    """Without what a controller made: that is judged by what it was made of."""
    kept = tuple(item for item in unit.manifests if not _is_made(item.data))
    return msgspec.structs.replace(unit, manifests=kept)


def _is_made(item: JsonObject) -> bool:
    owners = children(item, "metadata", "ownerReferences")
    return any(owner.get("controller") is True for owner in owners)


def _ask(rules: Sequence[LintRule], unit: Unit, cluster: Observed | None, asked: Asked) -> None:
    linted = Linted(manifests=unit.manifests, cluster=cluster, complete=unit.complete)
    answers = ask_lint(rules, linted)
    asked.found.extend(
        reported(rule, said, fixable=unit.fixable) for rule, said in answers.violations
    )
    for doubt in answers.not_known:
        asked.not_known[doubt.rule, doubt.why] = doubt
    for failure in answers.failures:
        asked.failures[failure.rule, failure.error] = failure


def _silent(asked: Asked) -> frozenset[str]:
    """Rules of which silence means nothing: they could not judge all, or failed."""
    return frozenset(rule for rule, _ in (*asked.not_known, *asked.failures))


def _of_specs(specs: Iterable[Path]) -> Iterable[Reported]:
    """What our own reader says of specs."""
    # pydantic: only where there is a spec.
    from bridgehead.spec import SpecRejected, read_spec_file  # noqa: PLC0415

    for path in specs:
        read = read_spec_file(path, partial(read_manifests, path.parent))
        problems = read.problems if isinstance(read, SpecRejected) else read.warnings
        for problem in problems:
            yield _spec_finding("spec-doubt" if problem.warning else "spec-mistake", problem)


def _spec_finding(name: str, problem: Problem) -> Reported:
    return _file_finding(
        _file_rule(name),
        (problem.file, problem.line, problem.column),
        problem.message,
        problem.suggestion or "",
    )


def _of_comments(
    ignores: Iterable[Ignore], idle: Iterable[tuple[Ignore, str]], silent: frozenset[str]
) -> Iterable[Reported]:
    """What is wrong with the comments themselves."""
    for ignore in ignores:
        at = (ignore.file, ignore.line, ignore.column)
        if not ignore.rules or not ignore.reason:
            missing = "a rule in brackets" if not ignore.rules else "a reason"
            yield _file_finding(_file_rule("ignore-without-reason"), at, f"it needs {missing}")
        for name in ignore.rules:
            if lint_rule_named(name) is None:
                message = f"there is no rule {name}"
                yield _file_finding(_file_rule("ignore-of-unknown-rule"), at, message)
    for ignore, name in idle:
        rule = lint_rule_named(name)
        if rule is not None and rule.name not in silent:
            at = (ignore.file, ignore.line, ignore.column)
            message = f"{name} has nothing to say here"
            yield _file_finding(_file_rule("ignore-not-needed"), at, message)


def _file_rule(name: str) -> FileRule:
    return next(rule for rule in FILES if rule.name == name)


def _file_finding(
    rule: FileRule, at: tuple[str, int, int], message: str, remedy: str = ""
) -> Reported:
    file, line, column = at
    finding = Finding(
        rule=rule.name,
        severity=rule.severity,
        confidence=rule.confidence,
        message=message,
        remedy=remedy or rule.card.do,
        object=ObjectRef(),
        file=file,
        line=line,
        column=column,
    )
    return Reported(finding=finding, path=(file,), fixable=False)
