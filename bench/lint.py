"""Lint of many manifests: wall and processor time of the whole command, started anew each time.

``uv run python -m bench.lint`` writes 500 manifests (half of them DaemonSets, of which 100 are
device plugins, the rest Deployments, ConfigMaps and pods with devices), lints them with every rule
there is, and again against a recorded cluster of 200 nodes. Budget: 500 manifests in under 2 s.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

PLUGIN = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: plugin-{number}
  namespace: devices-{number}
  labels: {{app: plugin-{number}, tier: device}}
spec:
  selector:
    matchLabels: {{app: plugin-{number}}}
  updateStrategy:
    type: RollingUpdate
    rollingUpdate:
      maxSurge: {surge}
      maxUnavailable: 1
  template:
    metadata:
      labels: {{app: plugin-{number}}}
    spec:
      priorityClassName: system-node-critical
      nodeSelector: {{vendor.example/device: "true"}}
      tolerations:
        - key: vendor.example/device
          operator: Exists
          effect: NoSchedule
      containers:
        - name: plugin
          image: registry.example/vendor/plugin:1.{number}
          args: [--resource, "vendor.example/device-{number}"]
          env:
            - name: NODE_NAME
              valueFrom: {{fieldRef: {{fieldPath: spec.nodeName}}}}
          resources:
            requests: {{cpu: 10m, memory: 32Mi}}
            limits: {{memory: 128Mi}}
          securityContext:
            privileged: true
          volumeMounts:
            - {{name: plugins, mountPath: /var/lib/kubelet/device-plugins}}
            - {{name: dev, mountPath: /dev}}
      volumes:
        - name: plugins
          hostPath: {{path: /var/lib/kubelet/device-plugins, type: Directory}}
        - name: dev
          hostPath: {{path: /dev}}
"""
AGENT = PLUGIN.replace("/var/lib/kubelet/device-plugins", "/var/log").replace("plugin", "agent")
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: work-{number}, namespace: team-{number}}}
spec:
  replicas: 3
  selector: {{matchLabels: {{app: work-{number}}}}}
  template:
    metadata: {{labels: {{app: work-{number}}}}}
    spec:
      containers:
        - name: work
          image: registry.example/team/work:2.{number}
          command: [run, --steps, "100"]
          resources:
            requests: {{cpu: "1", memory: 1Gi}}
            limits: {{memory: 2Gi, vendor.example/device-{number}: 1}}
          volumeMounts: [{{name: settings, mountPath: /etc/work}}]
      volumes: [{{name: settings, configMap: {{name: settings-{number}}}}}]
"""
SETTINGS = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: settings-{number}, namespace: team-{number}}}
data:
  settings.yaml: |
    steps: 100
    names: [a, b, c]
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: once-{number}, namespace: team-{number}}}
spec:
  containers:
    - name: once
      image: registry.example/team/once:1
      resources: {{limits: {{vendor.example/device-{number}: 2}}}}
"""
FORMS = (PLUGIN, AGENT, WORKLOAD, SETTINGS, POD)


def manifests(folder: Path, count: int) -> int:
    """Write the files; their bytes together."""
    size = 0
    for number in range(count):
        text = FORMS[number % len(FORMS)].format(number=number, surge=int(number % 50 == 0))
        path = folder / f"dir-{number % 20}" / f"{number}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        size += len(text)
    return size


def cluster(folder: Path, nodes: int) -> None:
    """A recorded cluster: nodes that offer a device."""
    folder.mkdir()
    items = [
        {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": f"node-{number}", "labels": {"vendor.example/device": "true"}},
            "status": {
                "capacity": {"cpu": "8", "memory": "64Gi", "vendor.example/device-0": "4"},
                "allocatable": {"cpu": "8", "memory": "64Gi", "vendor.example/device-0": "4"},
                "nodeInfo": {"kubeletVersion": "v1.37.2", "osImage": "Linux"},
            },
        }
        for number in range(nodes)
    ]
    document = {"apiVersion": "v1", "kind": "List", "items": items}
    (folder / "nodes.json").write_text(json.dumps(document), encoding="utf-8")
    (folder / "recorded.yaml").write_text(
        "at: 2026-01-31T12:00:00Z\ncomplete: [Node, Pod, DaemonSet, ControllerRevision]\n",
        encoding="utf-8",
    )


def runs(arguments: list[str], times: int) -> Iterator[tuple[float, float]]:
    """Wall and processor seconds of each run of the command."""
    for _ in range(times):
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        begin = time.perf_counter()
        done = subprocess.run(
            [sys.executable, "-m", "bridgehead", "lint", *arguments, "-o", "json"],
            capture_output=True,
            check=False,
        )
        wall = time.perf_counter() - begin
        assert b"bridgehead.dev/lint/v1" in done.stdout, done.stderr.decode()
        now = resource.getrusage(resource.RUSAGE_CHILDREN)
        yield wall, now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime


def main() -> None:
    """Write, lint, print one line a case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--manifests", type=int, default=500)
    parser.add_argument("--runs", type=int, default=5)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "manifests"
        folder.mkdir()
        size = manifests(folder, asked.manifests)
        cluster(Path(name) / "state", 200)
        load = os.getloadavg()[0]
        print(f"{asked.manifests} manifests, {size / 1024:.0f} KiB; load average {load:.1f}")
        for what, more in (("alone", []), ("with a cluster", ["--from", f"{name}/state"])):
            wall, used = zip(*runs([str(folder), *more], asked.runs), strict=True)
            print(
                f"{what:<15} wall {min(wall):.2f}-{max(wall):.2f} s, "
                f"median {statistics.median(wall):.2f} s; "
                f"processor {statistics.median(used):.2f} s"
            )


if __name__ == "__main__":
    main()
