"""Reads the cases of rules and asks a rule about one."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import yaml

from bridgehead.app.observing import observed_from
from bridgehead.core.diagnose.cause import Cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import KINDS
from bridgehead.core.findings.observed import Log, LogId, Observed
from bridgehead.core.findings.rule import DiagnosisRule, LintRule, Rule
from bridgehead.core.findings.runner import Answers, ask_diagnosis, ask_lint
from bridgehead.core.model.times import epoch
from bridgehead.rules.catalogue import DIAGNOSIS, LINT
from bridgehead.sources.positions import manifests_in

HERE = Path(__file__).parent
NOW = "2026-01-31T12:00:00Z"


class Case(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One case, as in the README of this folder."""

    name: str
    manifests: str = ""
    whole: bool = False
    cluster: list[dict[str, Any]] | None = None
    complete: list[str] | None = None
    logs: dict[str, str] | None = None
    at: str = NOW
    server: str = ""
    expect: dict[str, Any] = {}
    lookalike: bool = False


class Cases(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All cases of a rule."""

    fires: list[Case]
    silent: list[Case]


def file_of(rule: Rule) -> Path:
    """Where the rule's cases are."""
    kind = "lint" if isinstance(rule, LintRule) else "diagnosis"
    return HERE / kind / f"{rule.name}.yaml"


def cases_of(rule: Rule) -> Cases:
    """The rule's cases."""
    text = file_of(rule).read_text(encoding="utf-8")
    return msgspec.convert(yaml.load(text, yaml.CSafeLoader), type=Cases)


def every() -> Iterator[tuple[Rule, bool, Case]]:
    """Each rule's cases with whether it fires; a rule without a file has none."""
    for rule in (*LINT, *DIAGNOSIS):
        if file_of(rule).exists():
            cases = cases_of(rule)
            yield from ((rule, True, case) for case in cases.fires)
            yield from ((rule, False, case) for case in cases.silent)


def ask(rule: Rule, case: Case) -> Answers:
    """What the rule says to the case."""
    if isinstance(rule, LintRule):
        found = manifests_in(case.manifests, "case.yaml")
        cluster = None if case.cluster is None else observed(case)
        return ask_lint([rule], Linted(manifests=found, cluster=cluster, complete=case.whole))
    assert isinstance(rule, DiagnosisRule)
    bare = Scene(observed(case))
    return ask_diagnosis([rule], Scene(bare.observed, symptoms_of(bare)))


def observed(case: Case) -> Observed:
    """The case's cluster; without `complete` everything was read."""
    objects = case.cluster or []
    at = epoch(case.at)
    assert at is not None
    every_kind = {kind for kinds in KINDS.values() for kind in kinds}
    return observed_from(
        objects,
        at=at,
        server=case.server,
        logs=None if case.logs is None else dict(_logs(case.logs)),
        complete=every_kind if case.complete is None else case.complete,
    )


def _logs(texts: Mapping[str, str]) -> Iterator[tuple[LogId, Log]]:
    for key, text in texts.items():
        name, _, previous = key.partition(" ")
        namespace, pod, container = name.split("/")
        yield LogId(namespace, pod, container, bool(previous)), Log(tuple(text.splitlines()))


def said(answers: Answers) -> list[Violation | Cause]:
    """Everything that was found."""
    return [*(item for _, item in answers.violations), *(item for _, item in answers.causes)]
