"""What people ask of a run that is under way: pause, resume, approve, abort. Pure.

Requests are kept as lines of canonical JSON under the key ``control`` of the run's record, and are
only ever appended: a request's number is its place, from 1. The loop writes each of them into the
journal before it acts on it, so that the journal alone tells who asked for what, and when.

``identity`` is who the API server took the asking client for (SelfSubjectReview); ``actor`` is a
name that the asking person gave, shown as claimed. Only the API server's audit log proves either.
"""

from collections.abc import Iterable

import msgspec

from bridgehead.core.model.json import JsonObject, canonical


class Pause(msgspec.Struct, frozen=True, kw_only=True, tag="pause", tag_field="kind"):
    """Begin nothing new, park the former template, see nodes in flight through."""

    time: str
    identity: str
    actor: str = ""
    reason: str = ""


class Resume(msgspec.Struct, frozen=True, kw_only=True, tag="resume", tag_field="kind"):
    """Go on after a pause or a hold."""

    time: str
    identity: str
    actor: str = ""
    reason: str = ""
    without: tuple[str, ...] = ()
    """Nodes to leave out of the rest of the run."""
    retry: tuple[str, ...] = ()
    """Nodes that failed and are to be changed once more."""


class Approve(msgspec.Struct, frozen=True, kw_only=True, tag="approve", tag_field="kind"):
    """Consent to go on at a point of the plan; it binds what the approver could see."""

    time: str
    identity: str
    actor: str = ""
    reason: str = ""
    point: str
    """``afterCanary`` or ``beforeWave:N``."""
    change_digest: str
    binds: str
    """Digest of the set of cohorts and of the ending placement, as the plan showed them."""
    expires: str = ""
    """RFC 3339; empty: it does not expire."""


class Abort(msgspec.Struct, frozen=True, kw_only=True, tag="abort", tag_field="kind"):
    """Take everything back that the run has touched."""

    time: str
    identity: str
    actor: str = ""
    reason: str = ""


Request = Pause | Resume | Approve | Abort


def who(request: Request) -> str:
    """Who asked, for people: a name that was only claimed is shown as that."""
    known = request.identity or "somebody unknown"
    return f"{request.actor} (so claimed, as {known})" if request.actor else known


class UnreadableRequestError(Exception):
    """A line under ``control`` is none of ours, or of a newer version."""

    def __init__(self, number: int, why: str, *, run: str = "", namespace: str = "") -> None:
        record = f" of configmap {namespace}/{run}" if run else ""
        super().__init__(f"line {number} under the key control{record} cannot be read: {why}")
        self.number, self.why = number, why
        self.run, self.namespace = run, namespace


def encode(request: Request) -> JsonObject:
    """The request as the journal's ``detail`` and as one line of the key."""
    plain: JsonObject = msgspec.to_builtins(request)
    return plain


def decode(detail: JsonObject) -> Request:
    """The request behind ``encode``; raises msgspec.ValidationError for anything else."""
    request: Request = msgspec.convert(detail, type=Request)
    return request


def appended(control: str, request: Request) -> str:
    """The key's new value after one more request."""
    end = "" if not control or control.endswith("\n") else "\n"
    return f"{control}{end}{canonical(encode(request))}\n"


def requests(control: str) -> tuple[Request, ...]:
    """All requests of a key's value, in order. Raises UnreadableRequestError."""
    return tuple(_request(number, line) for number, line in _lines(control))


def readable(control: str) -> tuple[Request, ...]:
    """Those of its lines that are requests, in order: what an abort is told by, whatever else."""
    found = []
    for number, line in _lines(control):
        try:
            found.append(_request(number, line))
        except UnreadableRequestError:
            continue
    return tuple(found)


def _lines(control: str) -> Iterable[tuple[int, str]]:
    # Only what ``appended`` ends a line with: a reason may hold what else counts as a line's end.
    return enumerate(filter(None, control.split("\n")), start=1)


def _request(number: int, line: str) -> Request:
    try:
        request: Request = msgspec.json.decode(line, type=Request)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise UnreadableRequestError(number, str(error)) from error
    return request
