"""Cards as pages: of one rule, and the reference of all."""

from collections.abc import Iterable, Iterator

from bridgehead.core.findings.rule import DiagnosisRule, FileRule, LintRule, Rule
from bridgehead.rules.catalogue import DIAGNOSIS, FILES, LINT

_HEAD = """\
# Rules

Made from the rules' own cards by `python -m bridgehead.rules`; a test keeps it current.
`bridgehead explain RULE` shows the same cards. How to write one:
[writing-rules.md](../writing-rules.md).
"""

_LEVELS = {
    1: "the DaemonSet and its events",
    2: "the plugin's pod",
    3: "the plugin runs, and the resource is wrong",
    4: "scheduling and admission",
    5: "started, and not usable",
    6: "asked last, when nothing else explains it",
}


def reference() -> str:
    """The whole page."""
    sections = (
        ("Of lint", "Faults of manifests, before anything is changed.", LINT),
        ("Of files", "Faults of comments for the linter and of specs of ours.", FILES),
        ("Of diagnosis", "What went wrong, and what to do.", DIAGNOSIS),
    )
    lines = [_HEAD]
    for title, words, rules in sections:
        lines += [f"## {title}\n", f"{words}\n", *_table(rules)]
        lines += [page for rule in rules for page in _page(rule)]
    return "\n".join(lines).rstrip("\n") + "\n"


def facts(rule: Rule) -> Iterator[tuple[str, str]]:
    """What a rule declares beside its card: names and values, for every form of a card."""
    yield "kind", kind_of(rule)
    yield "severity", rule.severity.value
    yield "confidence", rule.confidence.value
    if isinstance(rule, DiagnosisRule):
        yield "level", f"{rule.level}, {_LEVELS[rule.level]}"
    for name, values in (
        ("needs", sorted(need.value for need in rule.needs)),
        ("helped by", sorted(need.value for need in rule.helped_by)),
        ("former names", rule.aliases),
        ("cases", rule.cases if isinstance(rule, DiagnosisRule) else ()),
        ("references", rule.references),
    ):
        if values:
            yield name, ", ".join(values)


def kind_of(rule: Rule) -> str:
    """``lint``, ``file`` or ``diagnosis``."""
    if isinstance(rule, LintRule):
        return "lint"
    return "file" if isinstance(rule, FileRule) else "diagnosis"


def _table(rules: Iterable[Rule]) -> Iterator[str]:
    yield "| rule | severity | |"
    yield "|---|---|---|"
    for rule in rules:
        yield f"| [{rule.name}](#{rule.name}) | {rule.severity.value} | {rule.card.title} |"
    yield ""


def _page(rule: Rule) -> Iterator[str]:
    card = rule.card
    yield f"### {rule.name}\n"
    yield f"{card.title}\n"
    yield f"**Finds:** {card.finds}\n"
    yield f"**Why:** {card.why}\n"
    yield f"**Sure:** {card.sure}\n"
    yield f"**Do:** {card.do}\n"
    yield "; ".join(f"{name}: {value}" for name, value in facts(rule)) + ".\n"
