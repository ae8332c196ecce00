"""Where a cluster keeps its things, and the names by which they are found again.

All that a cluster owns carries its name: the state folder, the processes (by an environment
variable), the bridge, the veth pairs, the cgroups. So several clusters exist side by side, and the
leavings of a killed run can be told from everything else on the machine.
"""

from __future__ import annotations

import hashlib
import ipaddress
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from testbed.errors import TestbedError
from testbed.locks import locked

PREFIX = "bridgehead-testbed-"
MARK = "BRIDGEHEAD_TESTBED"
"""Environment variable that every process of a cluster carries; its value is the state folder."""
MARK_NODE = "BRIDGEHEAD_TESTBED_NODE"
"""Environment variable that the processes of one node carry beside `MARK`."""

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")
# A node binds folders of its own over these, so a state folder inside them would vanish for it.
_HIDDEN_IN_NODES = ("/run", "/var/run", "/var/lib", "/var/log")


class Record(msgspec.Struct, frozen=True):
    """What was settled when the cluster began: `slot` numbers its address ranges."""

    name: str
    slot: int
    owner_pid: int | None = None
    owner_started: int | None = None
    release: str = ""
    """Minor version of an earlier Kubernetes that control plane and kubelets are of."""


@dataclass(frozen=True)
class State:
    """The state folder of one cluster."""

    folder: Path

    @property
    def name(self) -> str:
        """The cluster's name."""
        return self.folder.name.removeprefix(PREFIX)

    @property
    def tag(self) -> str:
        """Six characters for link names, which the kernel limits to 15."""
        return hashlib.sha256(self.name.encode()).hexdigest()[:6]

    @property
    def bridge(self) -> str:
        """The name of the cluster's bridge."""
        return f"bh{self.tag}"

    @property
    def cgroup(self) -> str:
        """The folder of the cluster in every cgroup hierarchy."""
        return f"{PREFIX}{self.name}"

    def node_folder(self, node: str) -> Path:
        """Where a node's own files are."""
        return self.folder / "nodes" / node

    def log(self, process: str) -> Path:
        """The log of a process."""
        return self.folder / "logs" / f"{process}.log"

    def pki(self, file: str) -> Path:
        """A certificate or key."""
        return self.folder / "pki" / file

    def record(self) -> Record:
        """The cluster's record.

        Raises TestbedError when there is no such cluster.
        """
        try:
            return msgspec.json.decode((self.folder / "cluster.json").read_bytes(), type=Record)
        except FileNotFoundError:
            raise TestbedError(
                f"there is no cluster {self.name!r}; start one: "
                f"uv run python -m testbed up --name {self.name}"
            ) from None

    def write_record(self, record: Record) -> None:
        """Keep the record; readers never see half of it."""
        temporary = self.folder / "cluster.json.new"
        temporary.write_bytes(msgspec.json.encode(record))
        temporary.rename(self.folder / "cluster.json")

    @contextmanager
    def locked(self, what: str) -> Iterator[None]:
        """Hold an exclusive lock on `what` among all processes that use this cluster."""
        with locked(self.folder / f"{what}.lock"):
            yield


@dataclass(frozen=True)
class Addresses:
    """The address ranges of the cluster in one slot (1 to 63)."""

    slot: int

    @property
    def host(self) -> str:
        """The machine's end of the bridge."""
        return f"10.213.{self.slot}.1"

    @property
    def service_range(self) -> str:
        """Cluster addresses of Services; each cluster has its own, so that several fit."""
        return f"10.214.{self.slot}.0/24"

    @property
    def api(self) -> str:
        """The address of the Service `kubernetes`; the API server itself listens there."""
        return f"10.214.{self.slot}.1"

    @property
    def dns(self) -> str:
        """Where a cluster's name server would be; there is none."""
        return f"10.214.{self.slot}.10"

    def node(self, number: int) -> str:
        """The address of a node; numbers start at 1."""
        return f"10.213.{self.slot}.{number + 1}"

    def pods(self, number: int) -> str:
        """The range of a node's pods."""
        return f"100.{64 + self.slot}.{number}.0/24"


def root_folder() -> Path:
    """Where state folders are made."""
    return Path(tempfile.gettempdir()).resolve()


def state_of(name: str) -> State:
    """The state of the cluster of that name, whether it exists or not.

    Raises TestbedError for a name or a place that cannot work.
    """
    if not _NAME.fullmatch(name):
        raise TestbedError(f"cluster name {name!r}: use 1 to 40 of a-z, 0-9 and -")
    folder = root_folder() / f"{PREFIX}{name}"
    if any(folder.is_relative_to(hidden) for hidden in _HIDDEN_IN_NODES):
        raise TestbedError(f"{folder}: nodes cannot see this folder; set TMPDIR to another one")
    return State(folder)


def all_states() -> list[State]:
    """Every cluster of which there is a state folder."""
    return [State(path) for path in sorted(root_folder().glob(f"{PREFIX}*")) if path.is_dir()]


def claim(state: State, owner: tuple[int, int] | None, release: str = "") -> Record:
    """Make the state folder and settle the cluster's address ranges.

    `owner` is the pid and start time of the process with whose end the cluster shall end, and
    `release` the minor version of an earlier Kubernetes.
    """
    with locked(root_folder() / "bridgehead-testbed.lock"):
        taken = {_slot(other) for other in all_states()} | _slots_on_the_machine()
        free = [slot for slot in range(1, 64) if slot not in taken]
        if not free:
            raise TestbedError("no address range is free; see `uv run python -m testbed status`")
        for folder in ("logs", "pki", "nodes", "processes", "leases"):
            (state.folder / folder).mkdir(parents=True, exist_ok=True)
        state.folder.chmod(0o700)
        pid, started = owner if owner else (None, None)
        record = Record(state.name, free[0], pid, started, release)
        state.write_record(record)
        return record


def _slot(state: State) -> int:
    try:
        return state.record().slot
    except (TestbedError, msgspec.MsgspecError):
        return 0


def _slots_on_the_machine() -> set[int]:
    routes = subprocess.run(
        ["ip", "-o", "-4", "route", "show", "table", "all"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    used = [
        ipaddress.ip_network(word, strict=False)
        for line in routes.splitlines()
        for word in line.split()
        if re.fullmatch(r"\d+\.\d+\.\d+\.\d+(/\d+)?", word)
    ]
    return {
        slot
        for slot in range(1, 64)
        if any(
            network.overlaps(ours) and network.prefixlen > 0
            for network in used
            for ours in (
                ipaddress.ip_network(f"10.213.{slot}.0/24"),
                ipaddress.ip_network(f"10.214.{slot}.0/24"),
                ipaddress.ip_network(f"100.{64 + slot}.0.0/16"),
            )
        )
    }
