"""What a diagnosis of the failed nodes adds to the ending of a run."""

from bridgehead.app.failure_diagnosis import Explained
from bridgehead.core.model.json import JsonObject
from bridgehead.core.rollout.run import Run
from bridgehead.report.diagnosis_json import cause_json


def explanation_lines(explained: Explained | None, run: Run, where: str) -> list[str]:
    """The first cause, its proof, and the command that tells all; empty where nothing failed."""
    if explained is None:
        return []
    command = diagnose_command(explained, run, where)
    if explained.failed:
        return [f"  diagnosis failed: {explained.failed}", f"  try it later: {command}"]
    cause = explained.cause
    if cause is None:
        return ["  diagnosis  no cause is known", f"  ask again: {command}"]
    how = f"{cause.rule}, {cause.confidence.value} confidence"
    lines = [f"  diagnosis  {cause.message} ({how})"]
    lines += [f"  proof      {item.source}: {item.text}" for item in cause.evidence[:1]]
    more = f"  # {explained.more} more causes" if explained.more > 1 else ""
    more = "  # and one more cause" if explained.more == 1 else more
    return [*lines, f"  all of it: {command}{more}"]


def explanation_json(explained: Explained | None, run: Run, where: str) -> JsonObject | None:
    """The same for programs; None where nothing was diagnosed."""
    if explained is None:
        return None
    return {
        "nodes": list(explained.nodes),
        "cause": cause_json(explained.cause) if explained.cause is not None else None,
        "more": explained.more,
        "failed": explained.failed or None,
        "command": diagnose_command(explained, run, where),
    }


def diagnose_command(explained: Explained, run: Run, where: str) -> str:
    """The command that looks at the same nodes again."""
    nodes = "".join(f" --node {name}" for name in explained.nodes)
    return f"bridgehead diagnose {run.plan.spec.component}{nodes}{where}"
