"""Plain values, hand-written ones included, to structs."""

import gc

import pytest

from bridgehead.kube.decoding import collector_paused, convert, decode_raw
from bridgehead.kube.errors import UnexpectedAnswer
from bridgehead.kube.objects.node import Node
from bridgehead.kube.objects.pod import Pod


def test_quantities_written_as_numbers_become_text() -> None:
    node = convert({"status": {"capacity": {"a.com/gpu": 8, "cpu": "4"}}}, Node, "node")
    assert node.status.capacity == {"a.com/gpu": "8", "cpu": "4"}


def test_nulls_count_as_absent() -> None:
    pod = convert({"metadata": None, "spec": {"tolerations": [None]}}, Pod, "pod")
    assert pod.metadata.name == ""
    assert pod.spec.tolerations == ()


def test_the_collector_is_on_again_after_a_page() -> None:
    assert gc.isenabled()
    with collector_paused():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_an_answer_that_is_no_object_is_an_error() -> None:
    with pytest.raises(UnexpectedAnswer, match=r"get /x: .* expected form"):
        decode_raw(b"[1]", "get /x")
