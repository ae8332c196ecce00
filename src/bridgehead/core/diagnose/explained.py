"""What a run that failed says of the cause, and the record in which it stays."""

import msgspec

from bridgehead.core.diagnose.diagnosis import Ranked, TooEarly
from bridgehead.core.journal.entry import Draft, Evidence, Phase
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread

_MOST_CAUSES = 5
_MOST_PROOFS = 8
_LONGEST = 400
"""Characters of one text: a record shares an object of at most a mebibyte with others."""


class Explained(msgspec.Struct, frozen=True, kw_only=True):
    """What is told with the ending: the causes, most probable first, or why none can be named."""

    causes: tuple[Ranked, ...] = ()
    nodes: tuple[str, ...]
    too_early: tuple[TooEarly, ...] = ()
    """What had begun so lately that it said nothing yet."""
    unread: tuple[Unread, ...] = ()
    failed: str = ""
    """Why the diagnosis itself failed; empty where it did not."""


def explained_note(explained: Explained) -> Draft:
    """The record: ``named`` with causes, ``open`` without one, ``failed`` where there is none.

    Its evidence is that of the causes, in their order.
    """
    causes = explained.causes[:_MOST_CAUSES]
    detail: JsonObject = {
        "nodes": list(explained.nodes),
        "causes": [_cause(item) for item in causes],
        "tooEarly": sorted({item.node for item in explained.too_early}),
        "notRead": [item.what for item in explained.unread[:_MOST_PROOFS]],
        **({"failed": _short(explained.failed)} if explained.failed else {}),
    }
    proofs = [item for cause in causes for item in cause.evidence][:_MOST_PROOFS]
    result = "failed" if explained.failed else "named" if causes else "open"
    return Draft(
        step="diagnosis",
        phase=Phase.NOTE,
        result=result,
        detail=detail,
        evidence=tuple(Evidence(it.source, _short(it.text), it.node) for it in proofs),
    )


def _cause(cause: Ranked) -> JsonObject:
    return {
        "rule": cause.rule,
        "message": _short(cause.message),
        "nodes": list(cause.nodes),
        "blame": cause.blame.value,
        "confidence": cause.confidence.value,
        "rollbackHelps": cause.rollback_helps.value,
    }


def _short(words: str) -> str:
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"
