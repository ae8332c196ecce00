"""A run goes on only with the spec that it began with."""

from bridgehead.app.rollout import differences, run_name
from bridgehead.core.plan.settings import CanarySettings
from tests.core.plan.scenery import selection, spec


def test_equal_specs_have_no_differences() -> None:
    assert differences(spec(), spec()) == ()


def test_every_key_that_differs_is_named() -> None:
    other = spec(nodes=selection(exclude="name=b2"), canary=CanarySettings(nodes=("a2",)))
    assert differences(spec(), other) == ("nodes", "canary")


def test_another_image_is_a_difference_in_change() -> None:
    assert differences(spec(), spec("r.test/plugin:3")) == ("change",)


def test_run_is_named_after_spec_and_second() -> None:
    assert run_name("gpu", 1_700_000_000.9) == "gpu-20231114-221320"
