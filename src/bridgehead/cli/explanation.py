"""What a diagnosis of the failed nodes adds to the ending of a run.

It is told whole, since nobody can ask for it again: the way back has removed the proof. The command
that looks at the nodes stands only where the run left them as they failed.
"""

from collections.abc import Iterator

from bridgehead.app.failure_diagnosis import Explained
from bridgehead.core.diagnose.diagnosis import Ranked
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.run import Run
from bridgehead.report.diagnosis_json import cause_json, early_json

_MOST_PROOFS = 3
_TAKEN_BACK = 3
"""The exit code of a run that took all back, and the proof with it."""


def explanation_lines(explained: Explained | None, run: Run, where: str) -> list[str]:
    """Every cause with its proof, or why none is named; empty where nothing failed."""
    if explained is None:
        return []
    lines = list(_said(explained))
    command = diagnose_command(explained, run, where)
    return [*lines, f"  as it is now: {command}"] if command else lines


def _said(explained: Explained) -> Iterator[str]:
    if explained.failed:
        yield f"  diagnosis failed: {explained.failed}"
        return
    for cause in explained.causes:
        yield from _cause(cause)
    if explained.causes:
        return
    if explained.too_early:
        yield "  diagnosis  too early to say when the node failed"
        yield from (f"  early      {item.text}" for item in explained.too_early[:_MOST_PROOFS])
        if (more := len(explained.too_early) - _MOST_PROOFS) > 0:
            yield f"             and {more} more"
    elif explained.unread:
        yield "  diagnosis  no cause is known, and not everything could be read"
        yield from (f"  not read   {item.what}: {item.why}" for item in explained.unread)
    else:
        yield "  diagnosis  no cause is known"


def _cause(cause: Ranked) -> Iterator[str]:
    yield f"  diagnosis  {cause.message} ({cause.rule}, {cause.confidence.value} confidence)"
    shown = cause.evidence[:_MOST_PROOFS]
    yield from (f"  proof      {item.source}: {item.text}" for item in shown)
    if (more := len(cause.evidence) - len(shown)) > 0:
        yield f"             and {more} more"
    if cause.actions:
        yield f"  do first   {cause.actions[0].text}"
    elif cause.remedy:
        yield f"  do first   {cause.remedy}"


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
    ending = run.state.ending
    if ending is not None and ending.exit == _TAKEN_BACK:
        return ""
    nodes = "".join(f" --node {name}" for name in explained.nodes)
    return f"bridgehead diagnose {run.plan.spec.component}{nodes}{where}"
