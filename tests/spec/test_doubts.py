"""A spec that is valid but doubtful is accepted with warnings."""

import pytest

from tests.spec.specs import MINIMAL, accepted


def warnings(text: str) -> list[str]:
    return [str(warning) for warning in accepted(text).warnings]


@pytest.mark.parametrize(
    ("image", "why"),
    [
        ("registry:5000/plugin", "neither tag nor digest, which means latest"),
        ("plugin:latest", "the tag latest"),
    ],
)
def test_an_image_that_moves(image: str, why: str) -> None:
    text = MINIMAL.replace("registry.example:5000/plugin:1.2.3", image)
    assert warnings(text) == [
        f"b.yaml:7:20: warning: change.images.plugin: {image} has {why}: each node may get another "
        "image; name a version, or better a digest"
    ]


def test_latest_with_a_digest_does_not_move() -> None:
    image = f"plugin:latest@sha256:{64 * 'a'}"
    assert warnings(MINIMAL.replace("registry.example:5000/plugin:1.2.3", image)) == []


def test_a_probe_image_that_moves() -> None:
    (warning,) = warnings(MINIMAL + "verify: {probe: {image: probe, command: [x]}}\n")
    assert warning.startswith("b.yaml:8:25: warning: verify.probe.image: probe has neither")


def test_unproven_below_parallel() -> None:
    assert warnings(MINIMAL + "unproven: 2\nwaves: [{nodes: 100%, parallel: 3}]\n") == [
        "b.yaml:9:33: warning: waves[0].parallel is 3, but unproven allows only 2 nodes at a time"
    ]


def test_unproven_below_the_default_parallel_is_shown_where_it_was_written() -> None:
    assert [text.split()[0] for text in warnings(MINIMAL + "unproven: 7\n")] == ["b.yaml:8:11:"]
