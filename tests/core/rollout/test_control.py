"""Requests survive the way into the key ``control`` and back."""

import pytest

from bridgehead.core.rollout.control import (
    Abort,
    Approve,
    Pause,
    Request,
    Resume,
    UnreadableRequestError,
    appended,
    decode,
    encode,
    requests,
)

WHEN = "2026-01-02T03:04:05.000Z"
ALL: tuple[Request, ...] = (
    Pause(time=WHEN, identity="alice", reason="lunch\nbreak"),
    Resume(time=WHEN, identity="bob", without=("n1",), retry=("n2", "n3")),
    Approve(time=WHEN, identity="carol", point="afterCanary", change_digest="sha256:1", binds="2"),
    Abort(time=WHEN, identity="dave", actor="on-call"),
    Pause(time=WHEN, identity="erin", reason="one\u2028two\x85three\x0bfour"),
)


def test_requests_come_back_in_the_order_in_which_they_were_appended() -> None:
    control = ""
    for request in ALL:
        control = appended(control, request)
    assert requests(control) == ALL


@pytest.mark.parametrize("request_", ALL, ids=lambda item: type(item).__name__)
def test_a_request_comes_back_from_the_journals_detail(request_: Request) -> None:
    assert decode(encode(request_)) == request_


@pytest.mark.parametrize("line", ["{}", "nonsense", '{"kind":"explode","time":"","identity":""}'])
def test_a_line_that_is_no_request_is_named_by_its_number(line: str) -> None:
    control = appended("", ALL[0]) + line
    with pytest.raises(UnreadableRequestError, match="line 2 "):
        requests(control)
