"""The journal's chain: each record's digest covers the record before it."""

import hashlib
from collections.abc import Iterable

import msgspec

from bridgehead.core.journal.entry import Draft, Entry, Evidence, stamp
from bridgehead.core.model.json import JsonObject, canonical

VALUE_LIMIT = 4096
"""Bytes of one record in its stored form; longer evidence is cut and its sha256 kept."""


class Signature(msgspec.Struct, frozen=True):
    """Who writes: the run, its owner as claimed, and the user that the API server reports."""

    run: str
    owner: str
    identity: str


class Head(msgspec.Struct, frozen=True):
    """The last record's number and digest; before the first record 0 and the change's digest."""

    seq: int
    digest: str


class Broken(msgspec.Struct, frozen=True):
    """Where a chain does not hold, and why."""

    seq: int
    reason: str


def encode(entry: Entry) -> str:
    """The stored form: canonical JSON with the digest in it."""
    return canonical(_plain(entry))


def decode(text: str) -> Entry:
    """The record behind a stored form; raises msgspec.DecodeError where it is none."""
    return msgspec.json.decode(text, type=Entry)


def append(head: Head, draft: Draft, signature: Signature, now: float) -> Entry:
    """The draft as the record after ``head``, short enough to store."""
    entry = Entry(
        seq=head.seq + 1,
        time=stamp(now),
        run=signature.run,
        owner=signature.owner,
        identity=signature.identity,
        step=draft.step,
        phase=draft.phase,
        node=draft.node,
        result=draft.result,
        detail=draft.detail,
        evidence=draft.evidence,
        previous=head.digest,
    )
    entry = _shortened(entry)
    return msgspec.structs.replace(entry, digest=_digest(entry))


def head_of(entries: Iterable[Entry], start: Head) -> Head:
    """The head after the given records."""
    head = start
    for entry in entries:
        head = Head(entry.seq, entry.digest)
    return head


def check(entries: Iterable[Entry], start: Head) -> Broken | None:
    """The first place where the chain does not hold; None where every record follows."""
    head = start
    for entry in entries:
        if entry.seq != head.seq + 1:
            return Broken(entry.seq, f"record {head.seq + 1} is missing")
        if entry.previous != head.digest:
            return Broken(entry.seq, "it does not follow the record before it")
        if entry.digest != _digest(entry):
            return Broken(entry.seq, "its content does not match its digest")
        head = Head(entry.seq, entry.digest)
    return None


def _plain(entry: Entry) -> JsonObject:
    plain: JsonObject = msgspec.to_builtins(entry)
    return plain


def _digest(entry: Entry) -> str:
    content = {key: value for key, value in _plain(entry).items() if key != "digest"}
    covered = f"{entry.previous}\n{canonical(content)}"
    return "sha256:" + hashlib.sha256(covered.encode()).hexdigest()


def _shortened(entry: Entry) -> Entry:
    """Cut the longest evidence until the record fits; say so in its text."""
    limit = 1024
    while len(encode(entry).encode()) > VALUE_LIMIT - 80 and limit >= 64:
        cut = tuple(_cut(item, limit) for item in entry.evidence)
        entry = msgspec.structs.replace(entry, evidence=cut)
        limit //= 2
    return entry


def _cut(item: Evidence, limit: int) -> Evidence:
    if len(item.text) <= limit:
        return item
    mark = hashlib.sha256(item.text.encode()).hexdigest()
    return Evidence(item.source, f"{item.text[:limit]}... (cut, sha256:{mark})")
