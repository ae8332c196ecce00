"""A diagnosis for people: each cause with its proof, its effects, and what to do first."""

from collections.abc import Iterable, Iterator

import msgspec

from bridgehead.core.diagnose.diagnosis import Diagnosis, NodeView, Ranked
from bridgehead.core.findings.finding import Finding, Severity
from bridgehead.core.journal.entry import Evidence
from bridgehead.report.plain import plain_line

_MOST_NODES = 8
_NODES = 3
_MOST_NAMES = 6
MOST_MOMENTS = 12
_MOST_RULES = 4
_ROLLBACK = {
    "yes": "a rollback would help",
    "no": "a rollback would not help",
    "unknown": "whether a rollback would help is not known",
}


def blame_text(cause: Ranked) -> str:
    """Where the fault lies, and whether going back helps."""
    return f"{cause.blame.value}; {_ROLLBACK[cause.rollback_helps.value]}"


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """A verdict, then cause by cause; the times of the nodes at the end."""
    parts = [verdict(diagnosis)]
    parts += [
        "\n".join(map(plain_line, _cause(number, item)))
        for number, item in enumerate(diagnosis.causes, start=1)
    ]
    parts += ["\n".join(map(plain_line, _node(item))) for item in nodes_shown(diagnosis)]
    parts += [_block(title, lines) for title, lines in remarks(diagnosis)]
    return "\n\n".join(parts)


def verdict(diagnosis: Diagnosis) -> str:
    """One line: how many causes of what weight, or that nothing is wrong, or that it is unknown."""
    wrong = [item for item in diagnosis.causes if item.severity is not Severity.INFO]
    about = plain_line(diagnosis.about)
    if wrong:
        counted = f"{len(wrong)} cause{'s' if len(wrong) > 1 else ''}"
        symptoms = f"{len(diagnosis.symptoms)} symptom{'s' if len(diagnosis.symptoms) != 1 else ''}"
        return f"{about}: {counted} for {symptoms}, most probable first"
    early = diagnosis.too_early and not (diagnosis.unread or diagnosis.failures)
    if diagnosis.healthy is None and early:
        return f"{about}: nothing found, but it is too early to say"
    if diagnosis.healthy is None:
        return f"{about}: nothing found, but not everything needed could be read"
    return f"{about}: healthy"


def _cause(number: int, cause: Ranked) -> Iterator[str]:
    yield heading(number, cause)
    for item in said_of(cause):
        yield f"   {item.label:<9} {item.text}"
        yield from (f"             {line}" for line in item.command.splitlines())


def heading(number: int, cause: Ranked) -> str:
    """The cause in a line."""
    how = f"{cause.severity.value}, {cause.confidence.value} confidence"
    return f"{number}. {cause.rule} ({how}): {cause.message}"


class Said(msgspec.Struct, frozen=True):
    """Something that is told of a cause, and a command that goes with it."""

    label: str
    text: str
    command: str = ""


def said_of(cause: Ranked) -> Iterator[Said]:
    """All that is told of a cause below its heading."""
    if cause.scope:
        yield Said("where", cause.scope)
    if cause.nodes:
        yield Said("nodes", _names(cause.nodes))
    yield Said("blame", blame_text(cause))
    for item in _proof(cause.evidence):
        yield Said("proof", f"{item.source}: {item.text}")
    for rival in cause.ruled_out:
        yield Said("not", f"{rival.what}: {rival.by}")
    if cause.refuted_by:
        yield Said("unless", cause.refuted_by)
    for effect in cause.effects:
        yield Said("effect", _effect(effect))
    if not cause.actions and cause.remedy:
        yield Said("do", cause.remedy)
    for turn, action in enumerate(cause.actions, start=1):
        rung = f" [{action.rung}]" if action.rung else ""
        risk = f" ({action.risk.value})" if action.risk.value != "none" else ""
        yield Said(f"do {turn}", f"{action.text}{rung}{risk}", action.command)


def _proof(evidence: Iterable[Evidence]) -> Iterator[Evidence]:
    """The scope stands on a line of its own."""
    return (item for item in evidence if item.source != "where it is seen")


def _effect(finding: Finding) -> str:
    where = f" on {finding.node}" if finding.node and finding.node not in finding.message else ""
    return f"{finding.rule}: {finding.message}{where}"


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NODES} more" if len(names) > _MOST_NODES else ""
    return ", ".join(names[:_MOST_NODES]) + more


def nodes_shown(diagnosis: Diagnosis) -> Iterable[NodeView]:
    """Times are shown of a few nodes; all of them are in the JSON."""
    return diagnosis.nodes[:_NODES]


def _node(node: NodeView) -> Iterator[str]:
    yield f"node {node.name} ({_offers(node) or 'no devices'})"
    yield from (f"   {words}" for words in earlier(node))
    for moment in node.timeline[-MOST_MOMENTS:]:
        yield f"   {moment.at[:19]}Z  {moment.what}"


def earlier(node: NodeView) -> tuple[str, ...]:
    """How many of its moments are not shown, where any are not."""
    left_out = node.earlier + max(0, len(node.timeline) - MOST_MOMENTS)
    return (f"{left_out} earlier moments are in -o json",) if left_out else ()


def _offers(node: NodeView) -> str:
    """What it offers; of many names those without any device are only counted."""
    known = node.resources
    many = len(known) > _MOST_NAMES
    shown = [f"{name} {it}" for name, it in known.items() if not (many and it == "0/0")]
    left = len(known) - len(shown)
    return ", ".join([*shown, f"{left} names at 0/0"] if left else shown)


def remarks(diagnosis: Diagnosis) -> Iterator[tuple[str, list[str]]]:
    """What is no cause, under a title each: what is left out, too early, not known, or crashed."""
    if len(diagnosis.nodes) > _NODES:
        rest = [node.name for node in diagnosis.nodes[_NODES:]]
        yield "more nodes, whose times are in -o json", [_names(tuple(rest))]
    if diagnosis.too_early:
        points = diagnosis.too_early
        lines = [f"{item.text}; look again in {item.again} s" for item in points[:_MOST_NODES]]
        if len(points) > _MOST_NODES:
            lines.append(f"and {len(points) - _MOST_NODES} more, which are in -o json")
        yield "too early to say", lines
    if diagnosis.not_known:
        whys: dict[str, list[str]] = {}
        for item in diagnosis.not_known:
            whys.setdefault(item.why, []).append(item.rule)
        yield "not known", [f"{_some(rules)}: {why}" for why, rules in whys.items()]
    if diagnosis.failures:
        lines = [f"{item.rule}: {item.error}" for item in diagnosis.failures]
        yield "rules that crashed (a defect of bridgehead; please report)", lines


def _block(title: str, lines: Iterable[str]) -> str:
    return "\n".join([title, *(plain_line(f"   {line}") for line in lines)])


def _some(rules: list[str]) -> str:
    names = list(dict.fromkeys(rules))
    more = f" and {len(names) - _MOST_RULES} more" if len(names) > _MOST_RULES else ""
    return ", ".join(names[:_MOST_RULES]) + more
