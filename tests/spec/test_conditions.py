"""Conditions that join keys are checked for the healthy parts while other parts are wrong."""

import pytest

from tests.spec.specs import MINIMAL, accepted, rejected


def found(addition: str) -> list[tuple[int, int, str]]:
    return [(p.line, p.column, p.message) for p in rejected(f"{MINIMAL}{addition}\n")]


def test_settle_must_span_two_status_periods() -> None:
    message = (
        "verify.settle (15s) is shorter than two status periods (10s each): "
        "two equal looks could be one report"
    )
    assert found("verify: {settle: 15s}") == [(8, 18, message)]


def test_a_long_status_period_is_shown_where_settle_is_a_default() -> None:
    message = (
        "verify.settle (30s) is shorter than two status periods (20s each): "
        "two equal looks could be one report"
    )
    assert found("verify: {statusPeriod: 20s}") == [(8, 24, message)]


def test_settle_of_exactly_two_status_periods_is_enough() -> None:
    text = f"{MINIMAL}verify: {{settle: 2s, statusPeriod: 1s}}\n"
    assert accepted(text).spec.verify.settle == 2


def test_timeout_must_be_longer_than_settle() -> None:
    message = "verify.timeout (30s) is not longer than verify.settle (30s): no node could pass"
    assert found("verify: {timeout: 30s}") == [(8, 19, message)]


@pytest.mark.parametrize(
    "waves",
    ["[{nodes: 5, parallel: 1}, {nodes: 3, parallel: 1}, {nodes: 100%, parallel: 1}]"],
)
def test_waves_must_not_decrease(waves: str) -> None:
    message = "waves[1].nodes is less than an earlier wave's 5: it is cumulative"
    assert found(f"waves: {waves}") == [(8, 42, message)]


def test_numbers_and_percentages_are_left_to_the_plan_to_compare() -> None:
    waves = "[{nodes: 50, parallel: 1}, {nodes: 10%, parallel: 1}, {nodes: 100%, parallel: 1}]"
    assert len(accepted(f"{MINIMAL}waves: {waves}\n").spec.waves) == 3


@pytest.mark.parametrize("last", ["99%", "500"])
def test_the_last_wave_must_be_everything(last: str) -> None:
    message = "waves[0].nodes: the last wave must be 100%, or nodes stay on the old version"
    assert found(f"waves: [{{nodes: {last}, parallel: 1}}]") == [(8, 17, message)]


@pytest.mark.parametrize(
    ("addition", "message"),
    [
        ("cohort: [os, kernel, os]", "cohort names os twice"),
        ("canary: {nodes: [a, b, b]}", "canary.nodes names b twice"),
        ("resources: [a.b/c, a.b/c]", "resources names a.b/c twice"),
    ],
)
def test_a_list_must_not_repeat_itself(addition: str, message: str) -> None:
    assert [text for _, _, text in found(addition)] == [message]


def test_two_changes_are_refused_beside_what_is_not_yet_possible() -> None:
    text = MINIMAL.replace("  images:", "  helm: {}\n  images:")
    problems = rejected(text)
    assert [(p.line, p.path) for p in problems] == [(6, "change"), (7, "change.helm")]
    assert problems[0].message == "change takes exactly one of: helm, images"


def test_conditions_are_checked_while_other_values_are_wrong() -> None:
    addition = (
        "verify: {settle: 5s, timeout: soon}\n"
        "waves: [{nodes: 5%, parallel: x}, {nodes: 3%, parallel: 1}, {nodes: 90%, parallel: 1}]"
    )
    places = [(line, column) for line, column, _ in found(addition)]
    assert places == [(8, 18), (8, 31), (9, 31), (9, 43), (9, 69)]


def test_a_wrong_value_is_left_to_its_own_check() -> None:
    assert len(found("verify: {settle: soon, statusPeriod: 20s, timeout: 1s}")) == 1
