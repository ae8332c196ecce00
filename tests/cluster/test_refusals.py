"""A missing permission ends a run; a refusal by admission is an answer."""

import pytest

from bridgehead.cluster.refusals import failed, is_refusal
from bridgehead.core.rollout.commands import Failed
from bridgehead.kube.answers import refusal
from bridgehead.kube.errors import ApiError, Forbidden, PatchTestFailed, Request, ServerError
from tests.kube.scripted import status

REQUEST = Request("create", "pods", "gpu", "p")


def answered(code: int, reason: str, message: str) -> ApiError:
    return refusal(REQUEST, code, bytes(status(code, reason, message).body))  # type: ignore[arg-type]


def test_what_the_authorizer_forbids_is_raised() -> None:
    text = (
        'pods is forbidden: User "ci" cannot create resource "pods" in API group "" '
        'in the namespace "gpu"'
    )
    with pytest.raises(Forbidden):
        failed(answered(403, "Forbidden", text))


@pytest.mark.parametrize(
    ("code", "reason", "text"),
    [
        (403, "Forbidden", 'pods "p" is forbidden: exceeded quota: none, requested: pods=1'),
        (403, "Forbidden", 'pods "p" is forbidden: violates PodSecurity "restricted:latest"'),
        (400, "BadRequest", 'admission webhook "policy.example" denied the request: no'),
        (422, "Invalid", 'Pod "p" is invalid: spec.containers[0].image: Required value'),
    ],
)
def test_what_the_cluster_does_not_want_is_refused(code: int, reason: str, text: str) -> None:
    assert failed(answered(code, reason, text)) == Failed("refused", text)


def test_what_is_gone_or_changed_may_be_decided_again() -> None:
    assert failed(answered(404, "NotFound", "no")) == Failed("gone", "no")
    assert failed(answered(409, "Conflict", "no")) == Failed("conflict", "no")


def test_what_nobody_can_say_is_raised() -> None:
    with pytest.raises(ServerError):
        failed(answered(500, "InternalError", "etcd has no leader"))


def test_a_test_of_a_patch_that_does_not_hold_is_a_conflict_and_no_refusal() -> None:
    text = "the server rejected our request due to an error in our request"
    error = answered(422, "Invalid", text)
    assert isinstance(error, PatchTestFailed)
    assert not is_refusal(error)
    assert failed(error) == Failed("conflict", text)
