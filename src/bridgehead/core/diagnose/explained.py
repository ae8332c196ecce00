"""What a run that failed says of the cause, and the record in which it stays."""

from collections.abc import Sequence

import msgspec

from bridgehead.core.diagnose.diagnosis import Ranked, TooEarly
from bridgehead.core.journal.entry import Draft, Evidence, Phase
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread


class _Measure(msgspec.Struct, frozen=True):
    """How much of everything a record has: lists are not shortened later, only their texts."""

    causes: int
    proofs: int
    nodes: int
    text: int


_MEASURES = (_Measure(5, 8, 20, 400), _Measure(4, 4, 8, 200), _Measure(3, 3, 3, 140))
"""Tried in this order; the last one fits whatever is said."""
_ROOM = 3000
"""Bytes of detail and evidence, beside which a record has its names, digests and writer."""


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

    Its evidence is that of the causes, in their order. Of much, the first of each is kept.
    """
    notes = [_note(explained, measure) for measure in _MEASURES]
    return next((it for it in notes if _size(it) <= _ROOM), notes[-1])


def _note(explained: Explained, most: _Measure) -> Draft:
    causes = explained.causes[: most.causes]
    early = sorted({item.node for item in explained.too_early})
    unread = explained.unread[: most.proofs]
    detail: JsonObject = {
        **_nodes(explained.nodes, most),
        "causes": [_cause(item, most) for item in causes],
        "tooEarly": [*early[: most.nodes]],
        "notRead": [_short(item.what, most) for item in unread],
        **({"failed": _short(explained.failed, most)} if explained.failed else {}),
    }
    proofs = [item for cause in causes for item in cause.evidence][: most.proofs]
    result = "failed" if explained.failed else "named" if causes else "open"
    return Draft(
        step="diagnosis",
        phase=Phase.NOTE,
        result=result,
        detail=detail,
        evidence=tuple(
            Evidence(_short(it.source, most), _short(it.text, most), it.node) for it in proofs
        ),
    )


def _size(note: Draft) -> int:
    return len(msgspec.json.encode((note.detail, note.evidence)))


def _cause(cause: Ranked, most: _Measure) -> JsonObject:
    return {
        "rule": cause.rule,
        "message": _short(cause.message, most),
        **_nodes(cause.nodes, most),
        "blame": cause.blame.value,
        "confidence": cause.confidence.value,
        "rollbackHelps": cause.rollback_helps.value,
    }


def _nodes(names: Sequence[str], most: _Measure) -> JsonObject:
    """The first of them, and how many more there are where there are more."""
    more = len(names) - most.nodes
    return {"nodes": list(names[: most.nodes]), **({"moreNodes": more} if more > 0 else {})}


def _short(words: str, most: _Measure) -> str:
    return words if len(words) <= most.text else f"{words[: most.text - 1]}…"
