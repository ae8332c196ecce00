"""Refusals of the API, worded as the real API server words them.

Source: k8s.io/apimachinery/pkg/api/errors/errors.go (Kubernetes 1.37).
"""

from collections.abc import Sequence
from typing import Any

from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object


class ApiError(Exception):
    """A refusal; ``status`` is the whole ``Status`` object that the client gets."""

    def __init__(
        self,
        code: int,
        reason: str,
        message: str,
        details: Object | None = None,
        *,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.headers = headers or {}
        self.status: Object = {
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": reason,
            **({} if details is None else {"details": details}),
            "code": code,
        }
        if not reason:
            del self.status["reason"]


def _details(kind: Kind, name: str, **more: Any) -> Object:
    details: Object = {"name": name} if name else {}
    if kind.group:
        details["group"] = kind.group
    return {**details, "kind": kind.plural, **more}


def not_found(kind: Kind, name: str) -> ApiError:
    """404 of an object."""
    return ApiError(404, "NotFound", f'{kind.qualified} "{name}" not found', _details(kind, name))


def no_such_path() -> ApiError:
    """404 of a path that is not served."""
    return ApiError(404, "NotFound", "the server could not find the requested resource", {})


def already_exists(kind: Kind, name: str) -> ApiError:
    """409 of a creation."""
    message = f'{kind.qualified} "{name}" already exists'
    return ApiError(409, "AlreadyExists", message, _details(kind, name))


def conflict(kind: Kind, name: str, why: str) -> ApiError:
    """409 of a write with a precondition that does not hold."""
    message = f'Operation cannot be fulfilled on {kind.qualified} "{name}": {why}'
    return ApiError(409, "Conflict", message, _details(kind, name))


MODIFIED = (
    "the object has been modified; please apply your changes to the latest version and try again"
)
"""Why an update with an old resourceVersion is refused."""


def bad_request(message: str) -> ApiError:
    """400 of something that could not be understood."""
    return ApiError(400, "BadRequest", message)


def forbidden(kind: Kind, name: str, why: str) -> ApiError:
    """403 of an object."""
    message = f'{kind.qualified} "{name}" is forbidden: {why}'
    return ApiError(403, "Forbidden", message, _details(kind, name))


def gone(message: str) -> ApiError:
    """410 of a resourceVersion that is no longer known."""
    return ApiError(410, "Expired", message)


class Cause(dict[str, str]):
    """One reason of an invalid object: ``reason``, ``message``, ``field``."""


def invalid(kind: Kind, name: str, causes: Sequence[Cause]) -> ApiError:
    """422 of an object that is not valid; each cause's message begins with its kind of error.

    The message lists ``FIELD: MESSAGE``, several of them in brackets.
    """
    told = [f"{cause['field']}: {cause['message']}" for cause in causes]
    body = told[0] if len(told) == 1 else f"[{', '.join(told)}]"
    group = f".{kind.group}" if kind.group else ""
    details = _details(kind, name, causes=[dict(cause) for cause in causes])
    details["kind"] = kind.kind
    message = f'{kind.kind}{group} "{name}" is invalid: {body}'
    return ApiError(422, "Invalid", message, details)
