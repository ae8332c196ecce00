"""The test bed's cluster as the ground of a script: a namespace, nodes of its own with images."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path

from testbed.cluster import Cluster
from testbed.fake_images import REGISTRY, fake_images
from testbed.fixtures import fresh_namespace
from testbed.images import Image, build_archive
from testbed.leases import leased
from testbed.node import Node
from testbed.parts import binary
from tests.twin.differential.playing import Ground, use_namespace
from tests.twin.differential.script import Script


@asynccontextmanager
async def real_ground(script: Script, cluster: Cluster, folder: Path) -> AsyncIterator[Ground]:
    """Everything that a script needs, until it has been played."""
    with ExitStack() as stack:
        nodes: list[Node] = []
        if script.nodes:
            holding = leased(cluster, script.nodes)
            nodes = await asyncio.to_thread(stack.enter_context, holding)
            nodes.sort(key=lambda node: node.name)
        namespace = await asyncio.to_thread(stack.enter_context, fresh_namespace(cluster))
        names = {"ns": namespace, "images": f"{REGISTRY}/{namespace}"}
        names |= {f"node{place}": node.name for place, node in enumerate(nodes)}
        if script.images:
            await asyncio.to_thread(_import, script, cluster, nodes, namespace, folder)
        for node in nodes:
            labels = {f"{namespace}/node": "true"}
            patch = {"metadata": {"labels": labels}}
            await asyncio.to_thread(cluster.api.patch, f"/api/v1/nodes/{node.name}", patch)
        kubeconfig = use_namespace(cluster.kubeconfig, namespace, folder / "kubeconfig")
        facts = await asyncio.to_thread(_facts, cluster)
        yield Ground(kubeconfig=kubeconfig, folder=folder, names=names, facts=facts)


def _import(
    script: Script, cluster: Cluster, nodes: list[Node], namespace: str, folder: Path
) -> None:
    driver = binary("fakedriver", "fakedriver")
    images: dict[str, Image] = {}
    for name, knobs in script.images.items():
        repository, _, tag = name.partition(":")
        images |= fake_images({tag: knobs}, driver=driver, repository=f"{namespace}/{repository}")
    # A digest of its own: a kubelet that knows one under another name would pull it again.
    images = {
        name: replace(image, env={**(image.env or {}), "PLAYED_IN": namespace})
        for name, image in images.items()
    }
    tar = folder / "images.tar"
    build_archive(tar, images)
    cluster.import_images(tar, [node.name for node in nodes])


def _facts(cluster: Cluster) -> dict[str, str]:
    status = cluster.api.get("/api/v1/nodes?limit=1")["items"][0]["status"]
    info = status["nodeInfo"]
    return {
        "memory": status["capacity"]["memory"],
        "kernel": info["kernelVersion"],
        "system": info["osImage"],
        "runtime": info["containerRuntimeVersion"],
    }
