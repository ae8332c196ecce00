"""Records of recovery as lines that a person reads."""

from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.model.json import text

_NOTES = {"verified": "verified", "interrupted": "was interrupted, not verified"}
"""How a rung ended; anything else says that the devices are not back."""


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
            word = _NOTES.get(entry.result, "has NOT helped")
            return f"{rung} {word}: {text(entry.detail, 'reason')}"
