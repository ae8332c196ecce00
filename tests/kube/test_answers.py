"""What the API server's refusals become."""

from typing import Any

import msgspec
import pytest

from bridgehead.kube import errors
from bridgehead.kube.answers import refusal
from bridgehead.kube.errors import FieldConflict, Request

REQUEST = Request("patch", "daemonsets.apps", "gpu", "plugin")


def refused(code: int, reason: str = "", message: str = "", **details: Any) -> errors.ApiError:
    body = {"kind": "Status", "message": message, "reason": reason, "details": details}
    return refusal(REQUEST, code, msgspec.json.encode(body))


@pytest.mark.parametrize(
    ("code", "reason", "kind", "retryable"),
    [
        (400, "BadRequest", errors.BadRequest, False),
        (401, "Unauthorized", errors.Unauthorized, False),
        (403, "Forbidden", errors.Forbidden, False),
        (404, "NotFound", errors.NotFound, False),
        (405, "MethodNotAllowed", errors.BadRequest, False),
        (409, "AlreadyExists", errors.AlreadyExists, False),
        (409, "Conflict", errors.Conflict, False),
        (410, "Expired", errors.Gone, False),
        (422, "Invalid", errors.Invalid, False),
        (429, "TooManyRequests", errors.TooManyRequests, True),
        (500, "InternalError", errors.ServerError, True),
        (504, "Timeout", errors.ServerError, True),
    ],
)
def test_each_answer_has_its_error_and_says_whether_to_try_again(
    code: int, reason: str, kind: type[errors.ApiError], retryable: bool
) -> None:
    error = refused(code, reason, "because")
    assert type(error) is kind
    assert error.retryable is retryable
    assert str(error) == "patch daemonsets.apps plugin in namespace gpu: because"


def test_a_field_conflict_names_manager_and_field() -> None:
    error = refused(
        409,
        "Conflict",
        "Apply failed with 1 conflict",
        causes=[
            {
                "reason": "FieldManagerConflict",
                "message": 'conflict with "helm" using apps/v1',
                "field": ".spec.template.spec.containers",
            }
        ],
    )
    assert isinstance(error, errors.Conflict)
    assert error.managers == (
        FieldConflict(
            "helm", ".spec.template.spec.containers", 'conflict with "helm" using apps/v1'
        ),
    )


def test_a_forbidden_names_who_may_not_do_what() -> None:
    error = refused(
        403,
        "Forbidden",
        'pods is forbidden: User "jane" cannot list resource "pods" in API group "" '
        'in the namespace "gpu"',
    )
    assert isinstance(error, errors.Forbidden)
    assert (error.user, error.verb, error.resource) == ("jane", "list", "pods")
    assert (error.group, error.namespace) == ("", "gpu")


def test_a_forbidden_in_other_words_falls_back_on_the_request() -> None:
    error = refused(403, "Forbidden", "exceeded quota")
    assert isinstance(error, errors.Forbidden)
    assert (error.user, error.verb, error.resource) == ("", "patch", "daemonsets")
    assert (error.group, error.namespace) == ("apps", "gpu")


def test_a_failed_test_of_a_json_patch_is_told_from_other_invalid_objects() -> None:
    cause = {
        "reason": "UnexpectedServerResponse",
        "message": "testing value /a failed: test failed",
    }
    text = "the server rejected our request due to an error in our request"
    assert type(refused(422, "Invalid", text, causes=[cause])) is errors.PatchTestFailed
    other = {"reason": "FieldValueInvalid", "message": "must be positive", "field": "spec.x"}
    error = refused(422, "Invalid", text, causes=[other])
    assert type(error) is errors.Invalid
    assert error.causes[0].field == "spec.x"


def test_a_body_that_is_no_status_is_not_quoted() -> None:
    error = refusal(REQUEST, 502, b"<html>secret-token</html>")
    assert type(error) is errors.ServerError
    assert "secret-token" not in str(error)


def test_a_message_is_cut() -> None:
    assert len(refused(422, "Invalid", "x" * 100_000).message) == 2000


def test_an_object_that_a_message_quotes_is_left_out() -> None:
    quoted = '{"data": {"password": "\\"hunter2\\""}, "padding": "' + "x" * 200 + '"}'
    escaped = msgspec.json.encode(quoted).decode()
    text = f'"" is invalid: patch: Invalid value: {escaped}: json: cannot unmarshal'
    error = refused(422, "Invalid", text, causes=[{"message": text}])
    assert (
        error.message == '"" is invalid: patch: Invalid value: (a long one): json: cannot unmarshal'
    )
    assert "hunter2" not in error.causes[0].message
