"""Options that a proposed command repeats."""

import pytest

from bridgehead.cli.typed import repeated


@pytest.mark.parametrize(
    ("typed", "again"),
    [
        ("rollout -f a.yaml", ""),
        ("rollout -f a.yaml --context prod -o json", " --context prod"),
        ("status --kubeconfig=k --state-namespace ns", " --kubeconfig k --state-namespace ns"),
        ("status --context", ""),
    ],
)
def test_cluster_and_state_are_repeated_and_nothing_else(typed: str, again: str) -> None:
    assert repeated(typed.split()) == again
