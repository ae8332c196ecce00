"""Release numbers in tags and kubelet versions."""

import pytest

from bridgehead.core.model.version import version_in


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("v1.31.4+k3s1", (1, 31, 4)),
        ("0.17.4-ubi9", (0, 17, 4)),
        ("v1.30", (1, 30, 0)),
        ("1.25.2.8", (1, 25, 2)),
        ("v6.0.RC1", (6, 0, 0)),
        ("latest", None),
        ("v1", None),
        ("2025", None),
        ("1.2x", None),
        ("", None),
    ],
)
def test_a_number_is_read_from_the_beginning(
    text: str, version: tuple[int, int, int] | None
) -> None:
    assert version_in(text) == version
