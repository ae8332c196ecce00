"""How many nodes an update strategy lets be away at a time."""

from typing import Any

import pytest

from bridgehead.core.inventory.budget import Budget, budget_of, is_zero


@pytest.mark.parametrize(
    ("strategy", "budget"),
    [
        ({}, Budget(1, 0)),
        ({"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": "10%"}}, Budget("10%", 0)),
        ({"rollingUpdate": {"maxUnavailable": 0, "maxSurge": "0%"}}, Budget(0, "0%")),
        ({"rollingUpdate": {"maxUnavailable": "ten", "maxSurge": -1}}, Budget(None, None)),
        ({"rollingUpdate": {"maxUnavailable": True}}, Budget(None, 0)),
        ({"type": "OnDelete"}, None),
    ],
)
def test_defaults_are_filled_in_and_nonsense_is_not_known(
    strategy: dict[str, Any], budget: Budget | None
) -> None:
    assert budget_of(strategy) == budget


@pytest.mark.parametrize(
    ("unavailable", "nodes", "at_once"),
    [(3, 10, 3), ("10%", 10, 1), ("10%", 11, 2), ("0%", 10, 0), (None, 10, None)],
)
def test_a_share_of_nodes_is_rounded_up(
    unavailable: int | str | None, nodes: int, at_once: int | None
) -> None:
    assert Budget(unavailable, 0).at_once(nodes) == at_once


def test_zero_has_two_forms() -> None:
    assert [is_zero(value) for value in (0, "0%", 1, "1%", None)] == [
        True,
        True,
        False,
        False,
        False,
    ]
