"""The journal's chain: each record's digest covers the record before it."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from bridgehead.core.journal.entry import Draft, Entry, Evidence, stamp
from bridgehead.core.model.json import JsonObject, JsonValue, canonical

VALUE_LIMIT = 4096
"""Bytes of one record in its stored form; longer evidence is cut and its sha256 kept."""


_CUTS = (1024, 512, 256, 128)
"""Lengths to which texts are cut, one after the other; names, uids and digests are shorter."""
_DIGEST_LENGTH = len("sha256:") + 64


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
    return msgspec.structs.replace(entry, digest=digest_of(entry))


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
        if entry.digest != digest_of(entry):
            return Broken(entry.seq, "its content does not match its digest")
        head = Head(entry.seq, entry.digest)
    return None


def digest_of(entry: Entry) -> str:
    """The digest that a record must carry; what it carries is left out of it."""
    content = {key: value for key, value in _plain(entry).items() if key != "digest"}
    covered = f"{entry.previous}\n{canonical(content)}"
    return "sha256:" + hashlib.sha256(covered.encode()).hexdigest()


def _plain(entry: Entry) -> JsonObject:
    plain: JsonObject = msgspec.to_builtins(entry)
    return plain


def _shortened(entry: Entry) -> Entry:
    """Cut the evidence, then long texts in the detail, until the record fits; each cut says so.

    Every attempt cuts the texts as they were given, so that the sha256 is that of the whole text.
    """
    for limit in _CUTS:
        if _fits(entry):
            return entry
        evidence = tuple(_cut_evidence(item, limit) for item in entry.evidence)
        shorter = msgspec.structs.replace(entry, evidence=evidence)
        if _fits(shorter):
            return shorter
    for limit in _CUTS:
        shorter = msgspec.structs.replace(
            entry,
            evidence=tuple(_cut_evidence(item, _CUTS[-1]) for item in entry.evidence),
            detail={key: _cut_values(value, limit) for key, value in entry.detail.items()},
        )
        if _fits(shorter):
            break
    return shorter


def _fits(entry: Entry) -> bool:
    # The digest is not in the record yet.
    return len(encode(entry).encode()) <= VALUE_LIMIT - _DIGEST_LENGTH


def _cut_evidence(item: Evidence, limit: int) -> Evidence:
    return msgspec.structs.replace(
        item, source=_cut(item.source, limit), text=_cut(item.text, limit)
    )


def _cut_values(value: JsonValue, limit: int) -> JsonValue:
    """The value with its long texts cut, however deep they are."""
    if isinstance(value, str):
        return _cut(value, limit)
    if isinstance(value, Mapping):
        return {key: _cut_values(item, limit) for key, item in value.items()}
    if isinstance(value, Sequence):
        return [_cut_values(item, limit) for item in value]
    return value


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    mark = hashlib.sha256(text.encode()).hexdigest()
    return f"{text[:limit]}... (cut, sha256:{mark})"
