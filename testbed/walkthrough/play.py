"""Plays the walkthrough: every command is printed as it would be typed, and run for real."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from testbed.cluster import Cluster
from testbed.errors import TestbedError
from testbed.fake_images import fake_images, hold_image
from testbed.images import build_archive
from testbed.parts import binary, parts
from testbed.system import what_is_missing

NAME = "walkthrough"
NODES = 4
MODELS = ("Model-A", "Model-B")
CAUGHT = 3
"""Exit code of a rollout that was taken back: what the bad version must lead to."""
WAITING = 5
"""Exit code of a rollout that waits for somebody's approval."""

_HERE = Path(__file__).parent
_IMAGE = "registry.test/job:1"
_VERSIONS: dict[str, dict[str, object]] = {
    "1.0": {"devices": 4},
    "1.1": {"devices": 4},
    # Its pods are Ready everywhere, yet on nodes of the second model they offer no device.
    "1.2": {"devices": 0, "onlyIfFile": "/var/lib/kubelet/fake/model-b"},
    "1.3": {"devices": 4},
}


def play(*, keep: bool) -> None:
    """Set up, roll out a good version, a bad one, and one by approval, tear down.

    Raises TestbedError.
    """
    reasons = what_is_missing()
    if reasons:
        raise TestbedError("; ".join(reasons))
    for name, part in parts().items():
        if part.built() is None:
            _tell(f"building {name} from its Go modules (once; some minutes)")
            part.build()
    began = time.monotonic()
    _tell(f"starting Kubernetes with {NODES} real kubelets")
    cluster = Cluster(NAME if keep else f"{NAME}-{os.getpid()}")
    try:
        cluster.start(NODES, 0, owner=None if keep else os.getpid())
        with tempfile.TemporaryDirectory() as folder:
            _furnish(cluster, Path(folder))
            _tell(f"ready after {time.monotonic() - began:.0f} s")
            _tour(cluster, Path(folder))
    finally:
        if keep:
            _tell(f"the cluster goes on: export KUBECONFIG={cluster.kubeconfig}")
        else:
            cluster.stop()


def _furnish(cluster: Cluster, folder: Path) -> None:
    driver = binary("fakedriver", "fakedriver")
    images = fake_images(_VERSIONS, driver=driver, repository="accelerator-plugin")
    archive = folder / "images.tar"
    build_archive(archive, {**images, _IMAGE: hold_image(driver=driver)})
    cluster.import_images(archive)
    for number, node in enumerate(cluster.nodes.values()):
        model = MODELS[number * len(MODELS) // NODES]
        labels = {
            "example.com/accelerator": "true",
            "nvidia.com/gpu.product": model,
            # Jobs run on every second node: idle ones become canaries, and the plan is known.
            "example.com/jobs": str(number % 2 == 1).lower(),
        }
        cluster.api.patch(f"/api/v1/nodes/{node.name}", {"metadata": {"labels": labels}})
        mark = node.host_path("/var/lib/kubelet/fake")
        mark.mkdir(exist_ok=True)
        if model == MODELS[1]:
            (mark / "model-b").touch()
    _kubectl(cluster, "apply", "-f", str(_HERE / "cluster.yaml"))
    _until(lambda: _offering(cluster) == NODES, "all nodes offer their devices")
    _kubectl(cluster, "rollout", "status", "-n", "gpu", "deployment/training", "--timeout=60s")


def _tour(cluster: Cluster, folder: Path) -> None:
    environment = {**os.environ, "KUBECONFIG": str(cluster.kubeconfig), "COLUMNS": "100"}
    spec = (_HERE / "bridgehead.yaml").read_text(encoding="utf-8")
    for version, file in (("1.1", "good.yaml"), ("1.2", "bad.yaml")):
        (folder / file).write_text(spec.replace("VERSION", version), encoding="utf-8")
    asking = f"{spec.replace('VERSION', '1.3')}approve: [afterCanary]\n"
    (folder / "asking.yaml").write_text(asking, encoding="utf-8")

    def bridgehead(*words: str) -> int:
        print(f"\n$ bridgehead {shlex.join(words)}", flush=True)
        command = [sys.executable, "-m", "bridgehead", *words]
        return subprocess.run(command, env=environment, cwd=folder, check=False).returncode

    component = "daemonset/gpu/accelerator-plugin"
    codes = [
        bridgehead("inventory"),
        bridgehead("plan", "-f", "good.yaml"),
        bridgehead("rollout", "-f", "good.yaml"),
        bridgehead("plan", "-f", "bad.yaml"),
        bridgehead("rollout", "-f", "bad.yaml"),
        bridgehead("rollout", "-f", "asking.yaml"),
        bridgehead("status", component),
        bridgehead("approve", component, "--actor", "ann", "--reason", "looks good"),
        bridgehead("resume", component),
        bridgehead("verify", component, "--settle", "3s", "--status-period", "1s"),
    ]
    if codes != [0, 0, 0, 0, CAUGHT, WAITING, 0, 0, 0, 0]:
        raise TestbedError(f"the walkthrough ended otherwise than it should: exit codes {codes}")
    _tell("the bad version was caught on the first node of its kind and taken back: exit 3")


def _offering(cluster: Cluster) -> int:
    nodes = cluster.api.get("/api/v1/nodes")["items"]
    return sum(
        node["status"].get("allocatable", {}).get("example.com/accelerator") == "4"
        for node in nodes
    )


def _until(condition: Callable[[], bool], what: str, patience: float = 60) -> None:
    end = time.monotonic() + patience
    while not condition():
        if time.monotonic() > end:
            raise TestbedError(f"not within {patience:g} s: {what}")
        time.sleep(0.5)


def _kubectl(cluster: Cluster, *words: str) -> None:
    command = [str(binary("kubernetes", "kubectl")), "--kubeconfig", str(cluster.kubeconfig)]
    done = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise TestbedError(f"kubectl {' '.join(words)}: {done.stderr.strip()}")


def _tell(words: str) -> None:
    print(f"-- {words}", file=sys.stderr, flush=True)
