"""What a diagnosis of the failed nodes adds to the ending of a run.

It is told whole, since nobody can ask for it again: the way back has removed the proof. The command
that looks at the nodes stands only where the run left them as they failed.
"""

from collections.abc import Iterator

import msgspec

from bridgehead.core.diagnose.cause import RollbackHelps
from bridgehead.core.diagnose.diagnosis import Ranked
from bridgehead.core.diagnose.explained import Explained
from bridgehead.core.model.json import JsonObject
from bridgehead.core.recover.rung import Rung
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeStatus
from bridgehead.report.diagnosis_json import cause_json, early_json
from bridgehead.report.diagnosis_text import blame_text

_MOST_PROOFS = 3
_MOST_RIVALS = 2
_FAILED = (3, 4)
"""Exit codes of a run that failed."""
_UNSEEN = "none: another runner saw the node fail, and the way back has removed the proof"


Row = tuple[str, str]
"""A label, empty where the row goes on with the one before, and what it is about."""


def explanation_lines(explained: Explained | None, run: Run, where: str) -> list[str]:
    """The rows as lines of text."""
    return [f"  {label:<10} {words}" for label, words in explanation_rows(explained, run, where)]


def explanation_rows(explained: Explained | None, run: Run, where: str) -> list[Row]:
    """Every cause with its proof, or why none is named; empty where no node failed."""
    if explained is None:
        return [("diagnosis", _UNSEEN)] if _fails_by_a_node(run) else []
    rows = list(_said(explained, back=_is_back(explained, run)))
    if explained.causes and _is_back(explained, run):
        journal = f"bridgehead journal {run.plan.spec.component}{where}"
        rows.append(("do first", f"Mend this before it is rolled out again; the proof: {journal}"))
    command = diagnose_command(explained, run, where)
    return [*rows, ("look", command)] if command else rows


def _said(explained: Explained, *, back: bool) -> Iterator[Row]:
    if explained.failed:
        yield "diagnosis", f"failed: {explained.failed}"
        return
    for cause in explained.causes:
        yield from _cause(cause, back=back)
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


def _cause(cause: Ranked, *, back: bool) -> Iterator[Row]:
    """What would help is told only while it is there to be helped: pods and logs go with a version
    that is taken back.
    """
    yield "diagnosis", f"{cause.message} ({cause.rule}, {cause.confidence.value} confidence)"
    helped = back and cause.rollback_helps is RollbackHelps.YES
    yield "blame", f"{cause.blame.value}; going back has helped" if helped else blame_text(cause)
    yield from (("proof", f"{it.source}: {it.text}") for it in cause.evidence[:_MOST_PROOFS])
    yield from _more(len(cause.evidence))
    yield from (("not", f"{it.what}: {it.by}") for it in cause.ruled_out[:_MOST_RIVALS])
    first = cause.actions[0].text if cause.actions else cause.remedy
    if first and not back:
        yield "do first", first


def _more(count: int) -> Iterator[Row]:
    if count > _MOST_PROOFS:
        yield "", f"and {count - _MOST_PROOFS} more"


def explanation_json(explained: Explained | None, run: Run, where: str) -> JsonObject | None:
    """The same for programs; None where nothing was diagnosed. ``cause`` is the first one."""
    if explained is None:
        return None
    back = _is_back(explained, run)
    causes = [cause_json(_without_going_back(it) if back else it) for it in explained.causes]
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
    if _is_back(explained, run):
        return ""
    nodes = "".join(f" --node {name}" for name in explained.nodes)
    return f"bridgehead diagnose {run.plan.spec.component}{nodes}{where}"


def _is_back(explained: Explained, run: Run) -> bool:
    """Whether all nodes that failed are on the former version again, verified."""
    nodes = run.state.nodes
    return all(
        name in nodes and nodes[name].status is NodeStatus.TAKEN_BACK for name in explained.nodes
    )


def _without_going_back(cause: Ranked) -> Ranked:
    """What was done is nothing to do: a second undo would bring the bad version back."""
    left = tuple(item for item in cause.actions if item.rung != Rung.ROLL_BACK.value)
    return msgspec.structs.replace(cause, actions=left)


def _fails_by_a_node(run: Run) -> bool:
    """Whether the run ended for a node that failed; refusals and holds of people are none."""
    ending = run.state.ending
    return ending is not None and ending.exit in _FAILED and ending.failure is not None
