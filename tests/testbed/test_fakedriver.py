"""Runs the fake driver's own tests, which are written in Go."""

from __future__ import annotations

import subprocess

import pytest

from testbed.go_toolchain import find_toolchain
from testbed.parts import parts


@pytest.mark.cluster
def test_the_go_tests_of_the_fake_driver_pass() -> None:
    part = parts()["fakedriver"]
    if part.built() is None:  # then its Go modules may not be there either
        pytest.skip("the fake driver is not built; run: uv run python -m testbed build fakedriver")
    toolchain = find_toolchain()

    done = subprocess.run(
        [toolchain.go, "test", "./..."],
        cwd=part.folder,
        env=toolchain.environment(),
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
