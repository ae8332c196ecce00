"""Which options a version knows, and where nobody can say."""

import pytest

from bridgehead.core.components.options import ALL, NVIDIA, Verdict, options_of


@pytest.mark.parametrize(
    ("flag", "version", "verdict"),
    [
        ("mps-root", (0, 14, 5), Verdict.ABSENT),
        ("mps-root", (0, 14, 9), Verdict.NOT_KNOWN),
        ("mps-root", (0, 15, 0), Verdict.KNOWN),
        ("mig-strategy", (0, 12, 3), Verdict.KNOWN),
        ("mig-strategy", (0, 9, 0), Verdict.NOT_KNOWN),
        ("mig-strategy", (9, 0, 0), Verdict.KNOWN),
        ("no-such-flag", (0, 17, 4), Verdict.ABSENT),
        ("no-such-flag", (0, 18, 1), Verdict.NOT_KNOWN),
    ],
)
def test_a_flag_is_judged_between_versions_that_were_read(
    flag: str, version: tuple[int, int, int], verdict: Verdict
) -> None:
    assert NVIDIA.flag(flag, version) is verdict


def test_a_variable_that_no_version_reads_may_be_anothers() -> None:
    assert NVIDIA.variable("LD_LIBRARY_PATH", (0, 17, 4)) is Verdict.NOT_KNOWN
    assert NVIDIA.variable("IMEX_REQUIRED", (0, 15, 0)) is Verdict.ABSENT


@pytest.mark.parametrize(
    ("image", "known"),
    [
        ("mirror.example/nvidia/k8s-device-plugin:v0.17.4-ubi9", (0, 17, 4)),
        ("nvcr.io/nvidia/k8s-device-plugin:latest", None),
        ("nvcr.io/nvidia/k8s-device-plugin", None),
        ("gke.gcr.io/nvidia-gpu-device-plugin:v0.17.4", None),
        ("No Image", None),
    ],
)
def test_the_image_tells_program_and_version(
    image: str, known: tuple[int, int, int] | None
) -> None:
    found = options_of(image)
    assert (found[1] if found else None) == known


def test_every_option_stands_with_a_version_that_was_read() -> None:
    for item in ALL:
        assert list(item.read) == sorted(item.read)
        assert {*item.flags.values(), *item.env.values()} <= set(item.read)
