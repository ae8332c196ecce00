"""A refused write: a permission that is missing, or an object that the cluster does not want.

Both are 403 to HTTP. The first ends the run (whoever runs it must be given a permission), the
second is an answer about the object, from admission, quota or Pod Security.
"""

from bridgehead.core.rollout.commands import Failed
from bridgehead.kube.errors import ApiError, BadRequest, Conflict, Forbidden, Invalid, NotFound


def is_missing_permission(error: Forbidden) -> bool:
    """Whether the authorizer refused the request itself.

    Its text names the user (`User "x" cannot create resource "pods"`); admission's never has that
    form. Source: apiserver ``endpoints/handlers/responsewriters/errors.go``, Kubernetes 1.37.
    """
    return bool(error.user)


def failed(error: ApiError) -> Failed:
    """The refusal as a command's result; raises the error again where it is none.

    Webhooks refuse with 400 unless they say otherwise (apiserver ``webhook/errors/statuserror.go``,
    Kubernetes 1.37), so a bad request counts as a refusal too.
    """
    match error:
        case Conflict():
            return Failed("conflict", error.message)
        case NotFound():
            return Failed("gone", error.message)
        case Invalid() | BadRequest():
            return Failed("refused", error.message)
        case Forbidden() if not is_missing_permission(error):
            return Failed("refused", error.message)
        case _:
            raise error
