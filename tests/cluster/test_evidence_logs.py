"""What is no log is not read as one."""

import asyncio
from typing import cast

import pytest

from bridgehead.cluster.evidence_logs import LogsRead, read_logs
from bridgehead.core.findings.observed import LogId
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube

PLUGIN = LogId("gpu", "plugin-a", "ctr")
FORMER = LogId("gpu", "plugin-a", "ctr", True)
GONE = "unable to retrieve container logs for containerd://3ff6bd44f4bd0ae8"


class Answers:
    """A client that has one text for every log."""

    def __init__(self, text: str) -> None:
        self._text = text

    async def logs(self, *names: str, **_: object) -> str:
        """The text, whatever is asked for."""
        return self._text


def read(text: str, *wanted: LogId) -> LogsRead:
    return asyncio.run(read_logs(cast("Kube", Answers(text)), wanted))


def test_the_kubelets_words_in_place_of_a_log_are_not_read_as_one() -> None:
    assert read(GONE, PLUGIN) == LogsRead({}, (Unread(f"log {PLUGIN}", GONE),))


def test_the_log_of_a_former_process_that_is_gone_is_as_if_there_had_been_none() -> None:
    assert read(GONE, FORMER) == LogsRead({}, ())


@pytest.mark.parametrize("text", [f"started\n{GONE}\n", f"error: {GONE}\n"])
def test_a_log_that_speaks_of_it_is_one(text: str) -> None:
    assert list(read(text, PLUGIN).logs) == [PLUGIN]


def test_a_kubelet_that_does_not_answer_keeps_no_other_log_from_being_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Silent(Answers):
        async def logs(self, *names: str, **_: object) -> str:
            return await (asyncio.sleep(3600, "") if "plugin-a" in names else super().logs(*names))

    monkeypatch.setattr("bridgehead.cluster.evidence_logs.PATIENCE", 0.05)
    other = LogId("gpu", "plugin-b", "ctr")
    found = asyncio.run(read_logs(cast("Kube", Silent("started\n")), (PLUGIN, other)))
    assert list(found.logs) == [other]
    (unread,) = found.unread
    assert "did not answer" in unread.why
