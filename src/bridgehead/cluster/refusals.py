"""A refused write: a permission that is missing, or an object that the cluster does not want.

Both are 403 to HTTP. The first ends the run (whoever runs it must be given a permission), the
second is an answer about the object, from admission, quota or Pod Security.
"""

from bridgehead.core.rollout.commands import Failed
from bridgehead.kube.errors import (
    ApiError,
    BadRequest,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    PatchTestFailed,
)


def is_missing_permission(error: Forbidden) -> bool:
    """Whether the authorizer refused the request itself.

    Its text names the user (`User "x" cannot create resource "pods"`); admission's never has that
    form. Source: apiserver ``endpoints/handlers/responsewriters/errors.go``, Kubernetes 1.37.
    """
    return bool(error.user)


def is_refusal(error: ApiError) -> bool:
    """Whether the cluster does not want the object, whoever writes it.

    Webhooks refuse with 400 unless they say otherwise (apiserver ``webhook/errors/statuserror.go``,
    Kubernetes 1.37), so a bad request counts as a refusal too. A test of a patch that does not hold
    is none: the object is another than expected.
    """
    match error:
        case PatchTestFailed():
            return False
        case Invalid() | BadRequest():
            return True
        case Forbidden():
            return not is_missing_permission(error)
        case _:
            return False


def knows_no_dry_run(error: ApiError) -> bool:
    """Whether a webhook that may have side effects was passed by: it says nothing of the object.

    Source: apiserver ``webhook/errors/statuserror.go`` (NewDryRunUnsupportedErr), 1.30 to 1.37.
    """
    return isinstance(error, BadRequest) and error.message.endswith("does not support dry run")


def failed(error: ApiError) -> Failed:
    """The refusal as a command's result; raises the error again where it is none."""
    match error:
        case Conflict() | PatchTestFailed():
            return Failed("conflict", error.message)
        case NotFound():
            return Failed("gone", error.message)
        case _ if is_refusal(error):
            return Failed("refused", error.message)
        case _:
            raise error
