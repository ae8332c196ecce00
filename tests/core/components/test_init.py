"""What a template says about a plugin that cannot initialise."""

from typing import Any

import pytest

from bridgehead.core.components.init import ends_on_failed_init, environment, flag_value

NVIDIA = "nvcr.io/nvidia/k8s-device-plugin:v0.17.4"
FAIL = "FAIL_ON_INIT_ERROR"


def _template(image: str = NVIDIA, **container: Any) -> dict[str, Any]:
    return {"spec": {"containers": [{"name": "c", "image": image, **container}]}}


@pytest.mark.parametrize(
    ("container", "told"),
    [
        ({}, True),
        ({"env": [{"name": FAIL, "value": "false"}]}, False),
        ({"env": [{"name": FAIL, "value": "0"}]}, False),
        ({"env": [{"name": FAIL, "value": "true"}]}, True),
        ({"args": ["--fail-on-init-error=false"]}, False),
        ({"args": ["--fail-on-init-error"], "env": [{"name": FAIL, "value": "false"}]}, True),
        ({"env": [{"name": FAIL, "valueFrom": {"fieldRef": {}}}]}, None),
        ({"env": [{"name": "CONFIG_FILE", "value": "/c"}]}, None),
        ({"args": ["--config-file", "/c"]}, None),
        ({"args": ["--config-file=/c", "--fail-on-init-error=false"]}, False),
        ({"envFrom": [{"configMapRef": {"name": "x"}}]}, None),
        ({"command": ["gpu-feature-discovery"]}, None),
    ],
)
def test_command_line_before_environment_before_file_before_default(
    container: dict[str, Any], told: bool | None
) -> None:
    assert ends_on_failed_init(_template(**container)) is told


def test_a_family_without_such_a_switch_is_not_known() -> None:
    assert ends_on_failed_init(_template("rocm/k8s-device-plugin:1")) is None
    assert ends_on_failed_init({}) is None


def test_a_flag_has_its_value_behind_a_sign_or_as_the_next_word() -> None:
    container = {"command": ["plugin", "-a=1"], "args": ["--b", "2", "--c"]}
    assert [flag_value(container, flag) for flag in ("a", "b", "d")] == ["1", "2", None]
    assert flag_value(container, "c", switch=True) == "true"


def test_the_last_variable_of_a_name_counts() -> None:
    container = {"env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}]}
    assert environment(container, "A") == {"name": "A", "value": "2"}
    assert environment(container, "B") is None
