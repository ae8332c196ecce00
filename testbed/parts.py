"""The parts built from Go source, and the cache that holds them.

Every folder in `testbed/go` with a `go.mod` is a part: its versions are in that file, its commands
are the packages that the file names as tools and the main packages in the folder itself. A finished
build is a folder `<part>-<key>`; the key covers the sources, the flags and the Go version, so a
changed part is another folder and nothing is ever half built or stale.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from testbed.errors import TestbedError
from testbed.go_toolchain import Toolchain, find_toolchain
from testbed.locks import locked

_SOURCES = Path(__file__).parent / "go"
_EARLIER = Path(__file__).parent / "go_earlier"
_KUBERNETES = "k8s.io/component-base/version"


@dataclass(frozen=True)
class Part:
    """One Go module of the test bed."""

    name: str
    folder: Path

    @property
    def flags(self) -> tuple[str, ...]:
        """Flags of `go build`: no paths and no debug tables inside, and what the part needs."""
        link = ["-s", "-w"]
        if self.name.startswith("kubernetes"):
            # Without it the server says v0.0.0-master and clients misjudge what it can do.
            version = _required(self.folder, "k8s.io/kubernetes")
            major, minor, _ = version.removeprefix("v").split(".", 2)
            link += ["-X", f"{_KUBERNETES}.gitVersion={version}"]
            link += [
                "-X",
                f"{_KUBERNETES}.gitMajor={major}",
                "-X",
                f"{_KUBERNETES}.gitMinor={minor}",
            ]
        tags = (
            ["-tags", "no_btrfs,no_zfs,no_devmapper"] if self.name == "containerd" else []
        )  # those snapshotters need C libraries
        return ("-trimpath", "-ldflags", " ".join(link), *tags)

    def key(self, toolchain: Toolchain) -> str:
        """What the result depends on, as twelve hex digits."""
        digest = hashlib.sha256("\0".join([toolchain.version, *self.flags]).encode())
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                content = hashlib.sha256(path.read_bytes()).hexdigest()
                digest.update(f"\0{path.relative_to(self.folder)}\0{content}".encode())
        return digest.hexdigest()[:12]

    def built(self) -> Path | None:
        """The folder with the commands, or None when they have to be built."""
        folder = _cache_folder() / f"{self.name}-{self.key(find_toolchain())}"
        return folder if folder.is_dir() else None

    def build(self) -> Path:
        """Build what is not built yet, and return the folder with the commands.

        Raises TestbedError with the compiler's words.
        """
        toolchain = find_toolchain(install=True)
        folder = _cache_folder() / f"{self.name}-{self.key(toolchain)}"
        if folder.is_dir():
            return folder
        with locked(_cache_folder() / f"{self.name}.lock"):
            if not folder.is_dir():
                temporary = folder.with_name(f"{folder.name}.{os.getpid()}")
                temporary.mkdir()
                try:
                    self._compile(toolchain, temporary)
                    temporary.rename(folder)
                finally:
                    shutil.rmtree(temporary, ignore_errors=True)
        return folder

    def _compile(self, toolchain: Toolchain, target: Path) -> None:
        packages = ["./..."] if any(self.folder.rglob("*.go")) else []
        if re.search(r"^tool\b", (self.folder / "go.mod").read_text(), re.MULTILINE):
            packages.append("tool")
        done = subprocess.run(
            [toolchain.go, "build", *self.flags, "-o", f"{target}/", *packages],
            cwd=self.folder,
            env=toolchain.environment(),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise TestbedError(f"building {self.name} failed:\n{done.stderr[-4000:]}")


def parts() -> dict[str, Part]:
    """All parts by name."""
    return {
        path.parent.name: Part(path.parent.name, path.parent)
        for path in sorted(_SOURCES.glob("*/go.mod"))
    }


def earlier_releases() -> dict[str, Part]:
    """Earlier Kubernetes releases by minor version: control plane and kubelet, built by name only.

    What is the same in all releases (kubectl, container runtime, etcd) comes from the usual parts.
    """
    found = sorted(_EARLIER.glob("kubernetes-*/go.mod"))
    names = (path.parent.name for path in found)
    return {name.partition("-")[2]: Part(name, _EARLIER / name) for name in names}


def missing_long_parts() -> list[str]:
    """Names of the parts that are not built yet and take minutes to build.

    The fake driver takes seconds and changes often: whoever needs it just builds it.
    """
    unbuilt = [name for name, part in parts().items() if part.built() is None]
    return [name for name in unbuilt if name != "fakedriver"]


@cache
def binary(part: str, command: str) -> Path:
    """The path of a command.

    Raises TestbedError when its part is not built: nothing here starts a long build unasked.
    """
    every = {**parts(), **{item.name: item for item in earlier_releases().values()}}
    folder = every[part].built()
    if folder is None:
        raise TestbedError(f"{part} is not built; run: uv run python -m testbed build {part}")
    return folder / command


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    folder = Path(home) / "bridgehead" / "testbed"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _required(folder: Path, module: str) -> str:
    text = (folder / "go.mod").read_text()
    found = re.search(rf"^\s*(?:require )?{re.escape(module)} (v\S+)", text, re.MULTILINE)
    if found is None:
        raise TestbedError(f"{folder / 'go.mod'} does not require {module}")
    return found[1]
