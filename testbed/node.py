"""One real node: a kubelet and a containerd in a network and a mount namespace of their own.

The kubelet's device plugin folder is the constant `/var/lib/kubelet/device-plugins`, which
`--root-dir` does not move (Kubernetes 1.37), so every node binds its own folders over `/var/lib`,
`/var/log` and `/run`. A holder process keeps the two namespaces alive while kubelet and containerd
are restarted; both enter them, or host paths in pods would show another node's folder.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from testbed import cgroups, network, node_config, pki, release
from testbed.errors import TestbedError
from testbed.kubeconfig import write_kubeconfig
from testbed.parts import binary
from testbed.process import Process, kill_all, marked_pids
from testbed.state import MARK, MARK_NODE, Addresses, State

_BOUND = {"/var/lib": "var-lib", "/var/log": "var-log", "/run": "run"}

_HOLDER = """\
set -e
cd /
for pair in var-lib:/var/lib var-log:/var/log run:/run; do
  mount --bind "$1/${pair%%:*}" "${pair#*:}"
done
# Pods with Bidirectional mounts need shared ones; nothing gets out of this namespace.
mount --make-rshared /
echo 1 >/proc/sys/net/ipv4/ip_forward
: >"$1/holds"
exec sleep infinity
"""


@dataclass(frozen=True)
class Node:
    """A real node; `number` fixes its addresses."""

    state: State
    name: str
    number: int

    @property
    def folder(self) -> Path:
        """The node's files on the machine."""
        return self.state.node_folder(self.name)

    @property
    def address(self) -> str:
        """The node's InternalIP."""
        return Addresses(self.state.record().slot).node(self.number)

    @property
    def holder(self) -> Process:
        """The process that keeps the node's namespaces alive."""
        argv = ("unshare", "--net", "--mount", "--propagation", "private")
        shell = ("/bin/sh", "-c", _HOLDER, "sh", str(self.folder))
        return Process(self.state, f"{self.name}-holder", argv + shell, self.name)

    @property
    def containerd(self) -> Process:
        """The container runtime; its shims and the containers outlive it."""
        command = str(binary("containerd", "containerd"))
        config = str(self.folder / "containerd.toml")
        return self._inside("containerd", "env", _path_with_shim(), command, "--config", config)

    @property
    def kubelet(self) -> Process:
        """The kubelet."""
        return self._inside(
            "kubelet",
            str(release.command(self.state, "kubelet")),
            f"--config={self.folder / 'kubelet.json'}",
            f"--kubeconfig={self.folder / 'kubelet.kubeconfig'}",
            f"--hostname-override={self.name}",
            f"--node-ip={self.address}",
            "--v=2",
        )

    def host_path(self, path: str) -> Path:
        """Where a path of the node is on the machine, e.g. `/var/lib/kubelet/device-plugins`."""
        plain = path.replace("/var/run", "/run", 1) if path.startswith("/var/run/") else path
        for inside, ours in _BOUND.items():
            if plain == inside or plain.startswith(f"{inside}/"):
                return self.folder / ours / plain[len(inside) :].lstrip("/")
        raise TestbedError(f"{path} is not the node's own; its own are {', '.join(_BOUND)}")

    def create_file(self, path: str) -> None:
        """Make an empty file on the node."""
        file = self.host_path(path)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()

    def remove_file(self, path: str) -> None:
        """Take a file away from the node."""
        self.host_path(path).unlink()

    def remove_files(self, folder: str) -> None:
        """Take all files of a folder away from the node."""
        for file in self.host_path(folder).glob("*"):
            file.unlink()

    def start(self, base_image: Path) -> None:
        """Start the node up to a running kubelet; it is Ready a few seconds later."""
        for ours in _BOUND.values():
            (self.folder / ours).mkdir(parents=True, exist_ok=True)
        addresses = Addresses(self.state.record().slot)
        user = f"system:node:{self.name}"
        write_kubeconfig(self.state, self.folder / "kubelet.kubeconfig", user, ["system:nodes"])
        pki.sign_to_files(self.state, self.name, user, addresses=[self.address], hosts=[self.name])
        node_config.write_containerd_config(self.state, self.name, self.number)
        cgroup = cgroups.make(self.state, self.name)
        node_config.write_kubelet_config(self.state, self.name, cgroup)
        holder = self.holder.start()
        _wait_for((self.folder / "holds").exists, self.holder)
        network.join(self.state, addresses, self.number, holder)
        self.start_containerd()
        self.import_image(base_image)
        self.start_kubelet()

    def remove(self) -> None:
        """Kill everything of the node and remove what it left on the machine."""
        marks = {MARK: str(self.state.folder), MARK_NODE: self.name}
        while pids := marked_pids(marks):
            kill_all(pids)
        cgroups.remove(self.state, self.name)
        network.leave(self.state, Addresses(self.state.record().slot), self.number)
        shutil.rmtree(self.folder)

    def import_image(self, tar: Path) -> None:
        """Import a docker-archive or OCI tar into the node's runtime."""
        command = str(binary("containerd", "ctr"))
        importing = self._inside(
            "ctr", command, "-a", node_config.SOCKET, "-n", "k8s.io", "images", "import", "-"
        )
        with tar.open("rb") as content:  # the node may not see the tar's own path
            done = subprocess.run(
                importing.argv, stdin=content, capture_output=True, text=True, check=False
            )
        if done.returncode:
            raise TestbedError(f"{self.name}: importing {tar} failed: {done.stderr.strip()}")

    def start_kubelet(self) -> None:
        """Start the kubelet unless it runs."""
        self.kubelet.start()

    def stop_kubelet(self, *, kill: bool = False) -> None:
        """Stop the kubelet (SIGTERM, or SIGKILL with `kill`) and wait for its end."""
        self.kubelet.stop(kill=kill)

    def restart_kubelet(self, *, kill: bool = False) -> None:
        """Stop the kubelet and start it again; the pods go on."""
        self.stop_kubelet(kill=kill)
        self.start_kubelet()

    def start_containerd(self) -> None:
        """Start the runtime unless it runs, and wait until it answers."""
        self.containerd.start()
        _wait_for(self._runtime_answers, self.containerd)

    def stop_containerd(self, *, kill: bool = False) -> None:
        """Stop the runtime and wait for its end; containers go on."""
        self.containerd.stop(kill=kill)

    def restart_containerd(self, *, kill: bool = False) -> None:
        """Stop the runtime and start it again; containers go on."""
        self.stop_containerd(kill=kill)
        self.start_containerd()

    def cut_network(self) -> None:
        """Take the node off the network: no API server for it, no kubelet for others."""
        network.set_link(self.state, self.number, up=False)

    def restore_network(self) -> None:
        """Connect the node again."""
        network.set_link(self.state, self.number, up=True)

    def repair(self) -> None:
        """Undo every disturbance that this class offers; nothing happens to a sound node."""
        self.restore_network()
        for process in (self.containerd, self.kubelet):
            process.thaw()
        if self.containerd.pid is None:
            self.start_containerd()
        self.start_kubelet()

    def _inside(self, name: str, *command: str) -> Process:
        holder = self.holder.pid
        if holder is None:
            raise TestbedError(f"{self.name} does not run: nothing holds its namespaces any more")
        enter = ("nsenter", "-t", str(holder), "--net", "--mount")
        return Process(self.state, f"{self.name}-{name}", (*enter, *command), self.name)

    def _runtime_answers(self) -> bool:
        path = self.host_path(node_config.SOCKET)
        if not path.exists():
            return False
        # A folder's descriptor keeps the path short: a socket's path is limited to 107 bytes.
        folder = os.open(path.parent, os.O_PATH)
        try:
            with socket.socket(socket.AF_UNIX) as client:
                return client.connect_ex(f"/proc/self/fd/{folder}/{path.name}") == 0
        finally:
            os.close(folder)


def _path_with_shim() -> str:
    """containerd looks for its shim in PATH."""
    return f"PATH={binary('containerd', 'containerd').parent}:/usr/sbin:/usr/bin:/sbin:/bin"


def _wait_for(condition: Callable[[], bool], process: Process, timeout: float = 30) -> None:
    end = time.monotonic() + timeout
    while not condition():
        if process.pid is None or time.monotonic() > end:
            raise TestbedError(f"{process.name} did not come up; {process.tail()}")
        time.sleep(0.05)
