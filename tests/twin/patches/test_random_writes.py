"""Whatever else is written: an apply that is repeated settles, and changes nothing more."""

from collections.abc import Iterator
from random import Random

import pytest

from tests.twin.patches.edits import (
    ConfigMap,
    Custom,
    Secret,
    Service,
    Story,
    Subject,
    definition,
)
from tests.twin.servers import APPLY_PATCH, Asked, TwinServer

NAMESPACE = "ai"
STEPS = 40


@pytest.fixture
def twin() -> Iterator[TwinServer]:
    """Where the custom kind is known."""
    server = TwinServer()
    server.ask(Asked("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}}))
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    server.ask(Asked("POST", path, definition(NAMESPACE)))
    server.settled(Asked("GET", path))
    yield server
    server.close()


@pytest.mark.parametrize("subject", [ConfigMap, Custom, Secret, Service])
def test_what_is_forced_again_and_again_changes_nothing(
    subject: type[Subject], twin: TwinServer
) -> None:
    chance = Random(11)
    made = subject(chance, NAMESPACE, "subject")
    story = Story(chance, made)
    query = (("fieldManager", "keeper"), ("force", "true"))
    held = 0
    for _ in range(STEPS):
        twin.ask(story.next())
        body = made.whole(made.configuration())
        asked = Asked("PATCH", made.path, body, APPLY_PATCH, query)
        twin.ask(asked)
        status, second = twin.ask(asked)
        if status < 300:
            held += 1
            assert twin.ask(asked) == (status, second), asked
    assert held > STEPS / 4
