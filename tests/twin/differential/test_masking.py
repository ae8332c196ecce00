"""What is taken out of outputs before they are compared, and what is not."""

import pytest

from tests.twin.differential.masking import masked

NAMES = {"ns": "test-0123456789", "node0": "node-1"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("web-7d4b9c8f6-x7k2z 1/1 Running", "web-HASH-CHANCE 1/1 Running"),
        ("a   3d4h\n", "a  AGE\n"),
        ("a  2 (5m12s ago)  7m", "a  2 (AGE ago)  AGE"),
        ("at 2026-11-30T17:02:03Z", "at TIME"),
        ("Mon, 30 Nov 2026 17:02:03 +0000", "TIME"),
        ('resourceVersion: "123"', 'resourceVersion: "VERSION"'),
        ("on node-1 in test-0123456789", "on NODE0 in NS"),
        ("node-10", "node-10"),
        ("10.1.2.3:443", "ADDRESS"),
        ("    cpu:     100m", "    cpu:  100m"),
        ("--timeout=2s", "--timeout=2s"),
        ('{"b":1,"a":2}', '{\n "a": 2,\n "b": 1\n}'),
        ("  key:   value   \n", "  key:  value\n"),
        ("  test-aaaaaaaaaa.test/device:  2\n  pods:  1\n", "  pods:  1\n"),
        ("  example.com/gpu  0  0\n  cpu  0  0\n", "  cpu  0  0\n"),
        ("  test-0123456789.test/device  1  1\n", "  NS.test/device  1  1\n"),
    ],
)
def test_masks(text: str, told: str) -> None:
    assert masked(text, NAMES) == told
