"""What a diagnosis of the failed nodes adds to the ending of a run.

It is told whole, since nobody can ask for it again: the way back has removed the proof. The command
that looks at the nodes stands only where the run left them as they failed.
"""

from collections.abc import Iterator

from bridgehead.core.diagnose.diagnosis import Ranked
from bridgehead.core.diagnose.explained import Explained
from bridgehead.core.model.json import JsonObject
from bridgehead.core.recover.rung import Rung
from bridgehead.core.rollout.run import Run
from bridgehead.report.diagnosis_json import cause_json, early_json

_MOST_PROOFS = 3
_MOST_RIVALS = 2
_TAKEN_BACK = 3
"""The exit code of a run that took all back, and the proof with it."""


Row = tuple[str, str]
"""A label, empty where the row goes on with the one before, and what it is about."""


def explanation_lines(explained: Explained | None, run: Run, where: str) -> list[str]:
    """The rows as lines of text."""
    return [f"  {label:<10} {words}" for label, words in explanation_rows(explained, run, where)]


def explanation_rows(explained: Explained | None, run: Run, where: str) -> list[Row]:
    """Every cause with its proof, or why none is named; empty where nothing failed."""
    if explained is None:
        return []
    rows = list(_said(explained, taken_back=_is_taken_back(run)))
    command = diagnose_command(explained, run, where)
    return [*rows, ("look", command)] if command else rows


def _said(explained: Explained, *, taken_back: bool) -> Iterator[Row]:
    if explained.failed:
        yield "diagnosis", f"failed: {explained.failed}"
        return
    for cause in explained.causes:
        yield from _cause(cause, taken_back=taken_back)
    if explained.causes:
        return
    if explained.too_early:
        yield "diagnosis", "too early to say when the node failed"
        yield from (("early", item.text) for item in explained.too_early[:_MOST_PROOFS])
        yield from _more(len(explained.too_early))
    elif explained.unread:
        yield "diagnosis", "no cause is known, and not everything could be read"
        yield from (("not read", f"{item.what}: {item.why}") for item in explained.unread)
    else:
        yield "diagnosis", "no cause is known"


def _cause(cause: Ranked, *, taken_back: bool) -> Iterator[Row]:
    """A rollback that was made is no longer anything to do."""
    yield "diagnosis", f"{cause.message} ({cause.rule}, {cause.confidence.value} confidence)"
    yield from (("proof", f"{it.source}: {it.text}") for it in cause.evidence[:_MOST_PROOFS])
    yield from _more(len(cause.evidence))
    yield from (("not", f"{it.what}: {it.by}") for it in cause.ruled_out[:_MOST_RIVALS])
    left = [it for it in cause.actions if not (taken_back and it.rung == Rung.ROLL_BACK.value)]
    first = left[0].text if left else cause.remedy
    if first:
        yield "do first", first


def _more(count: int) -> Iterator[Row]:
    if count > _MOST_PROOFS:
        yield "", f"and {count - _MOST_PROOFS} more"


def explanation_json(explained: Explained | None, run: Run, where: str) -> JsonObject | None:
    """The same for programs; None where nothing was diagnosed. ``cause`` is the first one."""
    if explained is None:
        return None
    causes = [cause_json(item) for item in explained.causes]
    return {
        "nodes": list(explained.nodes),
        "cause": causes[0] if causes else None,
        "more": max(0, len(causes) - 1),
        "causes": [*causes],
        "tooEarly": [early_json(item) for item in explained.too_early],
        "failed": explained.failed or None,
        "command": diagnose_command(explained, run, where) or None,
    }


def diagnose_command(explained: Explained, run: Run, where: str) -> str:
    """The command that looks at the same nodes again; empty where they are as they were before."""
    if _is_taken_back(run):
        return ""
    nodes = "".join(f" --node {name}" for name in explained.nodes)
    return f"bridgehead diagnose {run.plan.spec.component}{nodes}{where}"


def _is_taken_back(run: Run) -> bool:
    return run.state.ending is not None and run.state.ending.exit == _TAKEN_BACK
