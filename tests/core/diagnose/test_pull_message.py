"""Why an image was not pulled, by words of registries; names of images are none."""

import pytest

from bridgehead.core.diagnose.pull_message import PullFailure, pull_failure
from bridgehead.core.journal.entry import Evidence

_IMAGE = 'failed to pull image "registry.example/plugin@sha256:1404ab"'


@pytest.mark.parametrize(
    ("said", "failure"),
    [
        (f"{_IMAGE}: dial tcp 10.0.0.1:443: i/o timeout", PullFailure.UNREACHABLE),
        (f"{_IMAGE}: unexpected status from HEAD request: 404 Not Found", PullFailure.NOT_FOUND),
        (f"{_IMAGE}: unexpected status code: 404", PullFailure.NOT_FOUND),
        (f"{_IMAGE}: manifest unknown", PullFailure.NOT_FOUND),
        (f"{_IMAGE}: not found: insufficient_scope: authorization failed", PullFailure.REFUSED),
        (f"{_IMAGE}: context canceled", PullFailure.UNKNOWN),
    ],
)
def test_the_registrys_words_decide(said: str, failure: PullFailure) -> None:
    assert pull_failure([Evidence("event", said)])[0] is failure
