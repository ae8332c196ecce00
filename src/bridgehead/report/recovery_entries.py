"""Records of recovery as lines that a person reads."""

from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.model.json import text


def recovery_line(entry: Entry) -> str:
    """What was about to be done, what came of it, or whether it has helped."""
    rung = text(entry.detail, "rung")
    match entry.phase:
        case Phase.INTENT:
            return f"{rung} begins: {text(entry.detail, 'what')}"
        case Phase.OUTCOME:
            word = "done" if entry.result == "done" else f"did not happen ({entry.result})"
            return f"{rung} {word}: {text(entry.detail, 'message')}"
        case Phase.NOTE:
            word = "verified" if entry.result == "verified" else "has NOT helped"
            return f"{rung} {word}: {text(entry.detail, 'reason')}"
