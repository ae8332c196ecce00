"""What a journal's verification found: text, and JSON under ``.../journal-verification/v1``."""

from bridgehead.core.journal.verification import (
    Anchored,
    Appended,
    Consistent,
    Flaw,
    NotThere,
    Verification,
)
from bridgehead.core.model.json import JsonObject

SCHEMA = "bridgehead.dev/journal-verification/v1"
SHOWN = 200
"""Characters that the text shows of a value; the data has all of it."""


def verification_text(run: str, found: Verification) -> str:
    """What holds and what does not, in a few lines."""
    match found:
        case Consistent(head=head):
            return (
                f"journal of run {run}: consistent, not anchored: {head.seq} records, "
                f"head {head.digest}"
            )
        case Anchored(head=head):
            return f"journal of run {run}: verified: {head.seq} records, head {head.digest}"
        case Appended(head=head, asked=asked):
            count = "1 record was" if found.count == 1 else f"{found.count} records were"
            return (
                f"journal of run {run}: {count} appended since\n"
                f"  that head  record {asked.seq}, {asked.digest}\n"
                f"  now        record {head.seq}, {head.digest}"
            )
        case NotThere(head=head, asked=digest):
            return (
                f"journal of run {run}: does not hold that head: its end was cut off, or records "
                f"were replaced\n"
                f"  asked for  {digest}\n"
                f"  now        record {head.seq}, {head.digest}\n"
                "  The chain that is there is consistent, so it does not tell from which record on."
            )
        case Flaw():
            return _flaw_text(run, found)


def _flaw_text(run: str, flaw: Flaw) -> str:
    where = f"record {flaw.after.seq + 1}" if flaw.segment != run else "its record"
    return (
        f"journal of run {run}: does not verify at {where}: {flaw.reason}\n"
        f"  object    configmap/{flaw.segment}\n"
        f"  expected  {_short(flaw.expected)}\n"
        f"  seen      {_short(flaw.seen)}\n"
        f"  before it {flaw.after.seq} records hold"
    )


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}... ({len(text)} characters)"


def verification_json(run: str, found: Verification) -> JsonObject:
    """The same as data; ``records`` and ``head`` are those up to which everything holds."""
    head = found.after if isinstance(found, Flaw) else found.head
    flaw: JsonObject | None = None
    if isinstance(found, Flaw):
        flaw = {
            "record": head.seq + 1 if found.segment != run else 0,
            "object": found.segment,
            "reason": found.reason,
            "expected": found.expected,
            "seen": found.seen,
        }
    return {
        "schema": SCHEMA,
        "unread": [],
        "run": run,
        "verdict": _VERDICTS[type(found)],
        "records": head.seq,
        "head": head.digest,
        "appended": found.count if isinstance(found, Appended) else 0,
        "flaw": flaw,
    }


_VERDICTS: dict[type[Verification], str] = {
    Consistent: "consistent",
    Anchored: "verified",
    Appended: "appended",
    NotThere: "not-there",
    Flaw: "broken",
}
