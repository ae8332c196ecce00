"""Parts of the test bed that tests of the test bed itself need."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    """Something that can stand for the driver's binary while nothing is started."""
    binary = tmp_path / "driver"
    binary.write_bytes(b"\x7fELF, more or less")
    return binary
