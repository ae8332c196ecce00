"""A day in a simulated cluster in which every controller has work; prints a digest of all writes.

``python -m tests.twin.controllers.busy_day SEED``
"""

import asyncio
import hashlib
import sys

import msgspec
import yaml

from bridgehead.twin.nodes.settings import KubeletSettings
from bridgehead.twin.seeding.generic import generic_seed
from bridgehead.twin.seeding.planting import plant
from bridgehead.twin.store import Change
from bridgehead.twin.twin import Twin
from bridgehead.twin.virtual.loop import run_virtual
from tests.twin.virtually import START

WORK = """
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 5
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "web:1"}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: batch/v1
kind: Job
metadata: {name: bad}
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: "job:1", command: [/bin/sh, -c, "sleep 1; exit 2"]}]
"""


async def day(seed: int) -> str:
    """The digest of everything that was written."""
    planted = generic_seed(6, at=START, pods_per_node=1)
    twin = Twin(start=START, seed=seed, fleet=planted.fleet(KubeletSettings()))
    digest = hashlib.sha256()

    def written(change: Change) -> None:
        digest.update(msgspec.json.encode([change.type, change.version, change.object]))

    twin.store.subscribe(written)
    plant(twin.registry, planted)
    twin.start()
    await asyncio.sleep(60)
    for obj in yaml.safe_load_all(WORK):
        kind = twin.kinds.of(obj["apiVersion"], obj["kind"])
        assert kind is not None
        twin.registry.create(kind, obj, namespace="default")
    await asyncio.sleep(100)
    twin.nodes.cut_network("node-0001")
    await asyncio.sleep(500)
    twin.nodes.restore_network("node-0001")
    twin.registry.delete(twin.kinds.named("apps", "deployments"), "default", "web")
    await asyncio.sleep(4000)
    await twin.stop()
    return f"{twin.store.version} {digest.hexdigest()}"


if __name__ == "__main__":
    sys.stdout.write(run_virtual(day(int(sys.argv[1])), start=START))
