"""A diagnosis for people: each cause with its proof, its effects, and what to do first."""

from collections.abc import Iterable, Iterator

from bridgehead.core.diagnose.diagnosis import Diagnosis, NodeView, Ranked
from bridgehead.core.findings.finding import Finding, Severity
from bridgehead.core.journal.entry import Evidence
from bridgehead.report.plain import plain_line
from bridgehead.report.sections import Section, as_markdown

_MOST_NODES = 8
_MOST_NAMES = 6
_MOST_MOMENTS = 12
_MOST_RULES = 4
_ROLLBACK = {
    "yes": "a rollback would help",
    "no": "a rollback would not help",
    "unknown": "whether a rollback would help is not known",
}


def diagnosis_text(diagnosis: Diagnosis) -> str:
    """A verdict, then cause by cause; the times of the nodes at the end."""
    parts = [verdict(diagnosis)]
    parts += [
        "\n".join(map(plain_line, _cause(number, item)))
        for number, item in enumerate(diagnosis.causes, start=1)
    ]
    parts += ["\n".join(map(plain_line, _node(item))) for item in _shown(diagnosis)]
    parts += list(_remarks(diagnosis))
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
    how = f"{cause.severity.value}, {cause.confidence.value} confidence"
    yield f"{number}. {cause.rule} ({how}): {cause.message}"
    if cause.scope:
        yield f"   where     {cause.scope}"
    if cause.nodes:
        yield f"   nodes     {_names(cause.nodes)}"
    yield f"   blame     {cause.blame.value}; {_ROLLBACK[cause.rollback_helps.value]}"
    for item in _proof(cause.evidence):
        yield f"   proof     {item.source}: {item.text}"
    for rival in cause.ruled_out:
        yield f"   not       {rival.what}: {rival.by}"
    if cause.refuted_by:
        yield f"   unless    {cause.refuted_by}"
    for effect in cause.effects:
        yield f"   effect    {_effect(effect)}"
    if not cause.actions and cause.remedy:
        yield f"   do        {cause.remedy}"
    for turn, action in enumerate(cause.actions, start=1):
        rung = f" [{action.rung}]" if action.rung else ""
        risk = f" ({action.risk.value})" if action.risk.value != "none" else ""
        yield f"   do {turn}      {action.text}{rung}{risk}"
        if action.command:
            yield from (f"             {line}" for line in action.command.splitlines())


def _proof(evidence: Iterable[Evidence]) -> Iterator[Evidence]:
    """The scope stands on a line of its own."""
    return (item for item in evidence if item.source != "where it is seen")


def _effect(finding: Finding) -> str:
    where = f" on {finding.node}" if finding.node and finding.node not in finding.message else ""
    return f"{finding.rule}: {finding.message}{where}"


def _names(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_NODES} more" if len(names) > _MOST_NODES else ""
    return ", ".join(names[:_MOST_NODES]) + more


def _shown(diagnosis: Diagnosis) -> Iterable[NodeView]:
    """Times are shown of a few nodes; all of them are in the JSON."""
    return diagnosis.nodes[:3]


def _node(node: NodeView) -> Iterator[str]:
    yield f"node {node.name} ({_offers(node) or 'no devices'})"
    left_out = node.earlier + max(0, len(node.timeline) - _MOST_MOMENTS)
    if left_out:
        yield f"   {left_out} earlier moments are in -o json"
    for moment in node.timeline[-_MOST_MOMENTS:]:
        yield f"   {moment.at[:19]}Z  {moment.what}"


def _offers(node: NodeView) -> str:
    """What it offers; of many names those without any device are only counted."""
    known = node.resources
    many = len(known) > _MOST_NAMES
    shown = [f"{name} {it}" for name, it in known.items() if not (many and it == "0/0")]
    left = len(known) - len(shown)
    return ", ".join([*shown, f"{left} names at 0/0"] if left else shown)


def _remarks(diagnosis: Diagnosis) -> Iterator[str]:
    if diagnosis.too_early:
        points = diagnosis.too_early
        lines = [f"   {item.text}; look again in {item.again} s" for item in points[:_MOST_NODES]]
        if len(points) > _MOST_NODES:
            lines.append(f"   and {len(points) - _MOST_NODES} more, which are in -o json")
        yield _block("too early to say", lines)
    if diagnosis.not_known:
        whys: dict[str, list[str]] = {}
        for item in diagnosis.not_known:
            whys.setdefault(item.why, []).append(item.rule)
        lines = [f"   {_some(rules)}: {why}" for why, rules in whys.items()]
        yield _block("not known", lines)
    if diagnosis.failures:
        lines = [f"   {item.rule}: {item.error}" for item in diagnosis.failures]
        yield _block("rules that crashed (a defect of bridgehead; please report)", lines)


def _block(title: str, lines: Iterable[str]) -> str:
    return "\n".join([title, *map(plain_line, lines)])


def _some(rules: list[str]) -> str:
    names = list(dict.fromkeys(rules))
    more = f" and {len(names) - _MOST_RULES} more" if len(names) > _MOST_RULES else ""
    return ", ".join(names[:_MOST_RULES]) + more


def diagnosis_markdown(diagnosis: Diagnosis) -> str:
    """The same as sections, for a ticket or a pull request."""
    sections = [Section(verdict(diagnosis))]
    for number, cause in enumerate(diagnosis.causes, start=1):
        lines = [plain_line(line).strip() for line in _cause(number, cause)]
        sections.append(Section(lines[0], lines=tuple(lines[1:])))
    sections += [
        Section(f"Node {node.name}", ("TIME", "WHAT", "SOURCE"), tuple(_rows(node)))
        for node in _shown(diagnosis)
        if node.timeline
    ]
    remarks = [line.strip() for part in _remarks(diagnosis) for line in part.splitlines()]
    if remarks:
        sections.append(Section("Not known", lines=tuple(remarks)))
    return as_markdown(sections)


def _rows(node: NodeView) -> Iterator[tuple[str, ...]]:
    for moment in node.timeline[-_MOST_MOMENTS:]:
        yield (moment.at[:19] + "Z", moment.what, moment.source)
