"""A diagnosis as Markdown, for a ticket or a pull request: commands are code that can be copied."""

from collections.abc import Iterator

from bridgehead.core.diagnose.diagnosis import Diagnosis, NodeView, Ranked
from bridgehead.report.diagnosis_text import (
    MOST_MOMENTS,
    earlier,
    heading,
    nodes_shown,
    remarks,
    said_of,
    verdict,
)
from bridgehead.report.plain import plain_line
from bridgehead.report.sections import Section, as_markdown, escaped


def diagnosis_markdown(diagnosis: Diagnosis) -> str:
    """The same as in text, as sections."""
    parts = [as_markdown([Section(verdict(diagnosis))])]
    parts += ["\n".join(_cause(*item)) for item in enumerate(diagnosis.causes, start=1)]
    rest = [
        Section(f"Node {node.name}", ("TIME", "WHAT", "SOURCE"), tuple(_rows(node)), earlier(node))
        for node in nodes_shown(diagnosis)
        if node.timeline
    ]
    rest += [
        Section(title[0].upper() + title[1:], lines=tuple(map(plain_line, lines)))
        for title, lines in remarks(diagnosis)
    ]
    parts += [as_markdown([item]) for item in rest]
    return "\n\n".join(part.strip("\n") for part in parts) + "\n"


def _cause(number: int, cause: Ranked) -> Iterator[str]:
    yield f"## {plain_line(heading(number, cause))}"
    yield ""
    for item in said_of(cause):
        yield f"- **{item.label}** {escaped(plain_line(item.text))}"
        if item.command:
            yield from ("", "  ```sh")
            yield from (f"  {plain_line(line)}" for line in item.command.splitlines())
            yield from ("  ```", "")


def _rows(node: NodeView) -> Iterator[tuple[str, ...]]:
    for moment in node.timeline[-MOST_MOMENTS:]:
        yield (moment.at[:19] + "Z", moment.what, moment.source)
