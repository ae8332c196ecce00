"""Translates the API server's refusals (`Status` objects) into our errors, once, at the border."""

import re

import msgspec

from bridgehead.kube import errors
from bridgehead.kube.errors import ApiError, Cause, FieldConflict, Request

_LONGEST = 2000
"""Characters of a server's message that an error keeps."""


class _StatusCause(msgspec.Struct):
    reason: str = ""
    message: str = ""
    field: str = ""


class _StatusDetails(msgspec.Struct, rename="camel"):
    causes: list[_StatusCause] | None = None
    retry_after_seconds: int = 0


class Status(msgspec.Struct):
    """A `Status` of `v1`, as answer or as ERROR event of a watch."""

    kind: str = ""
    message: str = ""
    reason: str = ""
    code: int = 0
    details: _StatusDetails | None = None


_BY_CODE: dict[int, type[ApiError]] = {
    401: errors.Unauthorized,
    403: errors.Forbidden,
    404: errors.NotFound,
    409: errors.Conflict,
    410: errors.Gone,
    422: errors.Invalid,
    429: errors.TooManyRequests,
}


def refusal(
    request: Request,
    code: int,
    body: bytes,
    *,
    retry_after: float | None = None,
    repeated: bool = False,
) -> ApiError:
    """The error for an answer of 400 or above. Bodies that are no `Status` are not quoted."""
    status = _status(body)
    if status is None:
        text = f"the server answered {code} without a Kubernetes Status"
        status = Status(message=text, code=code)
    return from_status(request, code, status, retry_after=retry_after, repeated=repeated)


def from_status(
    request: Request,
    code: int,
    status: Status,
    *,
    retry_after: float | None = None,
    repeated: bool = False,
) -> ApiError:
    """The error that a `Status` stands for."""
    details = status.details or _StatusDetails()
    causes = tuple(
        Cause(cause.reason, _without_values(cause.message), cause.field)
        for cause in details.causes or ()
    )
    kind = _kind(code, status, causes)
    error = kind(
        _without_values(status.message) or f"the server answered {code}",
        request=request,
        code=code,
        reason=status.reason,
        causes=causes,
        retry_after=retry_after if retry_after is not None else details.retry_after_seconds or None,
        repeated=repeated,
    )
    if isinstance(error, errors.Conflict):
        error.managers = _field_conflicts(causes)
    if isinstance(error, errors.Forbidden):
        _fill_forbidden(error)
    return error


_VALUE = re.compile(r'Invalid value: "((?:[^"\\]|\\.){120,})"', re.DOTALL)


def _without_values(message: str) -> str:
    """A message without the objects that it quotes: an invalid patch quotes the whole object."""
    return _VALUE.sub("Invalid value: (a long one)", message)[:_LONGEST]


def _kind(code: int, status: Status, causes: tuple[Cause, ...]) -> type[ApiError]:
    if code == 409 and status.reason == "AlreadyExists":
        return errors.AlreadyExists
    if code == 422 and _is_failed_test(status, causes):
        return errors.PatchTestFailed
    if code >= 500:
        return errors.ServerError
    return _BY_CODE.get(code, errors.BadRequest)


_PATCH_DOES_NOT_APPLY = "the server rejected our request due to an error in our request"


def _is_failed_test(status: Status, causes: tuple[Cause, ...]) -> bool:
    """Whether a JSON patch did not apply: a `test` did not hold, or a path is not there.

    Seen on Kubernetes 1.37.2: the API server drops the patch library's words ("testing value
    /spec/x failed: test failed") and answers 422 with a general sentence and no cause, while an
    object that breaks rules has causes (apiserver `endpoints/handlers/patch.go`, `applyJSPatch`;
    apimachinery `NewGenericServerResponse`). Servers that pass the words on are understood, too.
    """
    if status.message == _PATCH_DOES_NOT_APPLY and not causes:
        return True
    texts = (status.message, *(cause.message for cause in causes))
    return any(text.rstrip(".").endswith("test failed") for text in texts)


def _status(body: bytes) -> Status | None:
    try:
        status = msgspec.json.decode(body, type=Status)
    except msgspec.DecodeError:
        return None
    return status if status.kind == "Status" else None


_MANAGER = re.compile(r'conflict with "(?P<manager>(?:[^"\\]|\\.)*)"')


def _field_conflicts(causes: tuple[Cause, ...]) -> tuple[FieldConflict, ...]:
    """apimachinery `managedfields/internal/conflict.go`: `conflict with "NAME" using apps/v1`."""
    conflicts = []
    for cause in causes:
        if cause.reason == "FieldManagerConflict":
            found = _MANAGER.search(cause.message)
            manager = found["manager"] if found else ""
            conflicts.append(FieldConflict(manager, cause.field, cause.message))
    return tuple(conflicts)


_FORBIDDEN = re.compile(
    r'User "(?P<user>[^"]*)" cannot (?P<verb>\S+) resource "(?P<resource>[^"]*)"'
    r'(?: in API group "(?P<group>[^"]*)")?(?: in the namespace "(?P<namespace>[^"]*)")?'
)
"""apiserver `endpoints/handlers/responsewriters/errors.go`, the text of RBAC refusals."""


def _fill_forbidden(error: errors.Forbidden) -> None:
    found = _FORBIDDEN.search(error.message)
    if found:
        error.user, error.verb, error.resource = found["user"], found["verb"], found["resource"]
        error.group, error.namespace = found["group"] or "", found["namespace"] or ""
        return
    plural, _, error.group = error.request.resource.partition(".")
    error.verb, error.resource, error.namespace = (
        error.request.verb,
        plural,
        error.request.namespace,
    )
