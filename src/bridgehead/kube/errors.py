"""What can go wrong between us and an API server, told apart once, at the border.

    KubeError
    |- ConfigError            the kubeconfig cannot be used as it is
    |- CredentialError        a credential could not be had; no request was sent without it
    |- Unreachable            no answer: dns, refused, tls, timeout, reset, proxy
    |- UnexpectedAnswer       an answer that is no Kubernetes answer
    `- ApiError               the server said no
       |- BadRequest          400
       |- Unauthorized        401
       |- Forbidden           403: who may not do what
       |- NotFound            404
       |- AlreadyExists       409, a create
       |- Conflict            409, a precondition or another field manager
       |- Gone                410, a resourceVersion or continue token that is too old
       |- Invalid             422, with the fields
       |  `- PatchTestFailed  a `test` of a JSON patch did not hold
       |- TooManyRequests     429
       `- ServerError         5xx

`retryable` says whether the same request may succeed later without anybody changing anything; the
client has then already tried for its own limited time. Messages never hold credentials.
"""

# ruff: noqa: N818 - the names are the reasons that the API server gives

from typing import Literal

import msgspec

Failure = Literal["dns", "refused", "tls", "timeout", "reset", "proxy"]
"""What failed when there was no answer."""


class Request(msgspec.Struct, frozen=True):
    """What was asked, as error texts name it."""

    verb: str
    """`get`, `list`, `watch`, `create`, `update`, `patch`, `delete`, as RBAC names it."""
    resource: str
    """`pods`, `daemonsets.apps`, with a subresource as `pods/log`; or a path such as `/version`."""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        where = f" in namespace {self.namespace}" if self.namespace else ""
        what = f"{self.resource} {self.name}".rstrip()
        return f"{self.verb} {what}{where}"


class Cause(msgspec.Struct, frozen=True):
    """One reason of a refusal; `field` is a path such as `spec.template`."""

    reason: str
    message: str
    field: str = ""


class KubeError(Exception):
    """Base of all errors of this client."""

    retryable = False


class ConfigError(KubeError):
    """The kubeconfig is missing, malformed, or uses something that we do not implement."""


class NoKubeconfig(ConfigError):
    """There is no file at any of the paths that were tried."""


class NoSuchContext(ConfigError):
    """The kubeconfig has no context of the name that was asked for, or none is the current one."""


class CredentialError(KubeError):
    """A token, certificate or exec plugin failed. Nothing was sent anonymously instead."""


class Unreachable(KubeError):
    """The server gave no answer.

    `sent` is true when a request may have arrived: a write may then have taken effect.
    """

    def __init__(
        self, server: str, failure: Failure, detail: str, *, sent: bool, retryable: bool
    ) -> None:
        super().__init__(f"cannot reach {server}: {detail}")
        self.server = server
        self.failure = failure
        self.sent = sent
        self.retryable = retryable


class UnexpectedAnswer(KubeError):
    """Something answered that is no Kubernetes API, or an object does not decode."""


class ApiError(KubeError):
    """The server refused. `repeated` marks the answer to a repeat of a request whose first
    sending got no answer: what it complains about may be our own first sending.
    """

    def __init__(
        self,
        message: str,
        *,
        request: Request,
        code: int,
        reason: str = "",
        causes: tuple[Cause, ...] = (),
        retry_after: float | None = None,
        repeated: bool = False,
    ) -> None:
        super().__init__(f"{request}: {message}")
        self.message = message
        self.request = request
        self.code = code
        self.reason = reason
        self.causes = causes
        self.retry_after = retry_after
        self.repeated = repeated


class BadRequest(ApiError):
    """400 or another 4xx without a class of its own."""


class Unauthorized(ApiError):
    """The server does not accept our credential, a renewed one included."""


class Forbidden(ApiError):
    """Somebody may not do something. The fields come from the server's message where it has the
    usual form of RBAC, else from the request; `user` is empty when the message names nobody.
    """

    user: str = ""
    verb: str = ""
    resource: str = ""
    group: str = ""
    namespace: str = ""


class NotFound(ApiError):
    """No such object, or no such resource on this server."""


class AlreadyExists(ApiError):
    """A create found the name taken."""


class FieldConflict(msgspec.Struct, frozen=True):
    """A field of a server-side apply that another manager owns."""

    manager: str
    field: str
    message: str


class Conflict(ApiError):
    """A uid or resourceVersion did not match, or other managers own fields of an apply."""

    managers: tuple[FieldConflict, ...] = ()


class Gone(ApiError):
    """A resourceVersion or continue token has expired: list anew."""


class Invalid(ApiError):
    """The object breaks rules of its kind; `causes` names the fields."""


class PatchTestFailed(Invalid):
    """A JSON patch did not apply: a `test` did not hold or a path is not there, so the object is
    not what the patch was made for. The server does not say which.
    """


class TooManyRequests(ApiError):
    """429: throttled, or an eviction that a disruption budget refuses for now."""

    retryable = True


class ServerError(ApiError):
    """5xx."""

    retryable = True
