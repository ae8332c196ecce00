"""Cards of rules, for people and for programs."""

import textwrap
from collections.abc import Iterator, Sequence

from bridgehead.core.findings.rule import Rule
from bridgehead.core.model.json import JsonObject
from bridgehead.report.inventory import pretty_json
from bridgehead.rules.reference import facts, kind_of

SCHEMA = "bridgehead.dev/rules/v1"
_WIDTH = 96


def cards_text(rules: Sequence[Rule]) -> str:
    """Each rule with its whole card."""
    return "\n\n".join("\n".join(_card(rule)) for rule in rules)


def names_text(rules: Sequence[Rule]) -> str:
    """Every rule on a line, those of one kind together."""
    lines: list[str] = []
    width = max(len(rule.name) for rule in rules)
    for kind in dict.fromkeys(kind_of(rule) for rule in rules):
        lines += [f"{kind} rules", *_names(kind, rules, width), ""]
    return "\n".join(lines).rstrip()


def rules_json(rules: Sequence[Rule]) -> str:
    """Rules with cards and declarations."""
    return pretty_json({"schema": SCHEMA, "unread": [], "rules": [_json(rule) for rule in rules]})


def _names(kind: str, rules: Sequence[Rule], width: int) -> Iterator[str]:
    for rule in rules:
        if kind_of(rule) == kind:
            yield f"  {rule.name:<{width}}  {rule.severity.value:<7}  {rule.card.title}"


def _card(rule: Rule) -> Iterator[str]:
    card = rule.card
    yield f"{rule.name}: {card.title}"
    parts = (("Finds", card.finds), ("Why", card.why), ("Sure", card.sure), ("Do", card.do))
    for name, body in parts:
        yield ""
        yield from textwrap.wrap(
            f"{name}: {body}",
            _WIDTH,
            initial_indent="  ",
            subsequent_indent="  ",
            break_long_words=False,
            break_on_hyphens=False,
        )
    yield ""
    yield from (f"  {name + ':':<13} {value}" for name, value in facts(rule))


def _json(rule: Rule) -> JsonObject:
    card = rule.card
    return {
        "name": rule.name,
        "kind": kind_of(rule),
        "severity": rule.severity.value,
        "confidence": rule.confidence.value,
        "status": rule.status,
        "since": rule.since,
        "needs": sorted(need.value for need in rule.needs),
        "helpedBy": sorted(need.value for need in rule.helped_by),
        "aliases": list(rule.aliases),
        "references": list(rule.references),
        "title": card.title,
        "finds": card.finds,
        "why": card.why,
        "sure": card.sure,
        "do": card.do,
    }
