"""A twin as the ground of a script: machines like the test bed's nodes, served on loopback."""

import secrets
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.nodes.images import Image, Images, Pull
from bridgehead.twin.objects import Object, items, with_field
from bridgehead.twin.serving import serving
from bridgehead.twin.twin import Twin
from tests.twin.differential.playing import Ground, until, use_namespace
from tests.twin.differential.script import Script

NAMESPACE = "test-0123456789"
"""As long as those of the test bed."""

_NO_HOST = "dial tcp: lookup testbed.local: no such host"
"""Why images of a host that is not there cannot be pulled."""

_NODES = 3
"""Without a need for nodes of their own, scripts find some on which pods can run."""


@asynccontextmanager
async def twin_ground(script: Script, folder: Path) -> AsyncIterator[Ground]:
    """A twin of its own for a script, until it has been played."""
    names = {"ns": NAMESPACE, "images": f"registry.test/{NAMESPACE}"}
    machines = [f"node-{number + 1}" for number in range(max(_NODES, script.nodes))]
    names |= {f"node{place}": name for place, name in enumerate(machines[: script.nodes])}
    fleet = _fleet(script, machines)
    twin = Twin(start=time.time(), fleet=fleet, administrator=secrets.token_urlsafe())
    twin.start()
    async with serving(twin) as served:
        whole = folder / "whole.kubeconfig"
        whole.touch(mode=0o600)
        whole.write_text(served.kubeconfig)
        kubeconfig = use_namespace(whole, NAMESPACE, folder / "kubeconfig")
        await _prepare(twin, names)
        facts = _facts(fleet.machines[machines[0]])
        yield Ground(kubeconfig=kubeconfig, folder=folder, names=names, facts=facts)


def _fleet(script: Script, names: list[str]) -> Fleet:
    images = Images()
    images.add("testbed.local/base:1", Image(program="plain", pull=Pull(present=True)))
    images.add("testbed.local/absent:*", Image(pull=Pull(error=_NO_HOST)))
    for name, knobs in script.images.items():
        reference = f"registry.test/{NAMESPACE}/{name}"
        images.add(reference, Image(program="plugin", knobs=knobs, pull=Pull(present=True)))
    return Fleet([Machine(name=name) for name in names], images=images)


def _facts(machine: Machine) -> dict[str, str]:
    return {
        "memory": machine.memory,
        "kernel": machine.kernel,
        "system": machine.os_image,
        "runtime": machine.runtime,
    }


async def _prepare(twin: Twin, names: dict[str, str]) -> None:
    """The namespace, its account, and the nodes as the test bed would give them."""
    registry = twin.registry
    namespaces = registry.kinds.named("", "namespaces")
    registry.create(namespaces, {"metadata": {"name": NAMESPACE}})
    accounts = registry.kinds.named("", "serviceaccounts")
    nodes = registry.kinds.named("", "nodes")

    def is_settled() -> bool:
        account = twin.store.get(accounts.stored, NAMESPACE, "default")
        found = (twin.store.get(nodes.stored, "", name) for name in twin.fleet.machines)
        return account is not None and all(_is_ready(node) for node in found)

    await until(is_settled, f"{NAMESPACE} and its nodes are ready")
    for key, name in names.items():
        if key.startswith("node"):
            node = registry.get(nodes, "", name)
            labels = {**node["metadata"]["labels"], f"{NAMESPACE}/node": "true"}
            registry.update(nodes, with_field(node, ("metadata", "labels"), labels))


def _is_ready(node: Object | None) -> bool:
    return any(
        condition["type"] == "Ready" and condition["status"] == "True"
        for condition in items(node, "status", "conditions")
    )
