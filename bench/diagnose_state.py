"""Serves the state of a large cluster whose plugin fails on some nodes, page by page.

    uv run python -m bench.diagnose_state NODES PODS BAD

The nodes with the lowest numbers run an older kernel; on BAD of them the plugin cannot see its
driver, ends, and is started again. Prints its port when it is ready and serves until it is ended.
"""

import asyncio
import re
import sys
from collections.abc import Iterable
from typing import Any

import msgspec
from aiohttp import web

from bench.static_api import PAGE
from bench.synthetic import metadata, node, pod

Object = dict[str, Any]
RESOURCE = "nvidia.com/gpu"
PLUGIN = "nvidia-device-plugin"
IMAGE = "nvcr.io/nvidia/k8s-device-plugin:v0.17.1"
LISTED = re.compile(r"/api(s/[^/]+)?/v1/(namespaces/[^/]+/)?(?P<plural>[a-z]+)")
LOG = re.compile(r"/api/v1/namespaces/gpu/pods/nvidia-device-plugin-(?P<index>\d+)/log")
GOOD_LINE = (
    "I1130 09:00:06.000000 1 server.go:146] Registered device plugin for 'nvidia.com/gpu' "
    "with Kubelet"
)
BAD_LINE = (
    "E1130 09:00:06.000000 1 factory.go:112] Incompatible strategy detected auto: could not load "
    "NVML library: libnvidia-ml.so.1: cannot open shared object file"
)
NOISE = "I1130 09:00:07.000000 1 main.go:301] a line like many others, as plugins write them"


def state(nodes: int, pods: int, bad: int) -> dict[str, list[Object]]:
    """Objects by plural."""
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": PLUGIN, "uid": "plugin-uid"}
    template = _template()
    daemon_set = {
        "metadata": metadata(PLUGIN, 1) | {"namespace": "gpu", "uid": "plugin-uid"},
        "spec": {
            "selector": {"matchLabels": {"app": PLUGIN}},
            "updateStrategy": {"type": "RollingUpdate"},
            "template": template,
        },
        "status": dict.fromkeys(
            ("desiredNumberScheduled", "currentNumberScheduled", "updatedNumberScheduled"), nodes
        ),
    }
    revision = {
        "metadata": metadata(f"{PLUGIN}-1", 1)
        | {
            "namespace": "gpu",
            "labels": {"controller-revision-hash": "h1"},
            "ownerReferences": [owner | {"controller": True}],
        },
        "revision": 1,
        "data": {"spec": {"template": template}},
    }
    plugins = [_plugin_pod(index, owner, bad=index < bad) for index in range(nodes)]
    others = [_workload(index, nodes, bad) for index in range(pods - nodes)]
    return {
        "nodes": [_node(index, bad) for index in range(nodes)],
        "pods": [*plugins, *others],
        "daemonsets": [daemon_set],
        "controllerrevisions": [revision],
        "namespaces": [{"metadata": metadata("gpu", 1)}],
        "events": [_event(index, bad) for index in range(nodes)],
    }


def _template() -> Object:
    return {
        "metadata": {"labels": {"app": PLUGIN}},
        "spec": {
            "containers": [
                {
                    "name": "ctr",
                    "image": IMAGE,
                    "volumeMounts": [
                        {"name": "dir", "mountPath": "/var/lib/kubelet/device-plugins"}
                    ],
                }
            ],
            "volumes": [{"name": "dir", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}],
        },
    }


def _node(index: int, bad: int) -> Object:
    found = node(index)
    status = found["status"]
    if index < bad:
        without = {key: value for key, value in status["capacity"].items() if key != RESOURCE}
        status |= {"capacity": without, "allocatable": without}
        status["nodeInfo"] = status["nodeInfo"] | {"kernelVersion": "5.15.0-91"}
    return found


def _plugin_pod(index: int, owner: Object, *, bad: bool) -> Object:
    name = f"{PLUGIN}-{index}"
    state: Object = {"running": {"startedAt": "2026-11-30T09:00:05Z"}}
    ended: Object = {}
    if bad:
        told = f"back-off 5m0s restarting failed container=ctr pod={name}_gpu"
        state = {"waiting": {"reason": "CrashLoopBackOff", "message": told}}
        ended = {"terminated": {"exitCode": 1, "reason": "Error"}}
    return {
        "metadata": metadata(name, index)
        | {
            "namespace": "gpu",
            "labels": {"app": PLUGIN, "controller-revision-hash": "h1"},
            "ownerReferences": [owner | {"controller": True}],
        },
        "spec": _template()["spec"] | {"nodeName": f"node-{index}"},
        "status": {
            "phase": "Running",
            "startTime": "2026-11-30T09:00:00Z",
            "conditions": [{"type": "Ready", "status": "False" if bad else "True"}],
            "containerStatuses": [
                {
                    "name": "ctr",
                    "ready": not bad,
                    "restartCount": 12 if bad else 0,
                    "image": IMAGE,
                    "containerID": f"containerd://{index:064x}",
                    "state": state,
                    "lastState": ended,
                }
            ],
        },
    }


def _workload(index: int, nodes: int, bad: int) -> Object:
    """A third of the pods ask for a device, on nodes that have some."""
    found = pod(index)
    place = bad + index % (nodes - bad)
    found["spec"]["nodeName"] = f"node-{place}"
    found["status"]["conditions"] = [{"type": "Ready", "status": "True"}]
    if index % 3:
        plain = {"cpu": "16", "memory": "128Gi"}
        found["spec"]["containers"][0]["resources"] = {"limits": plain, "requests": plain}
    return found


def _event(index: int, bad: int) -> Object:
    kind = "Warning" if index < bad else "Normal"
    return {
        "metadata": metadata(f"event-{index}", index) | {"namespace": "gpu"},
        "type": kind,
        "reason": "BackOff" if index < bad else "Started",
        "message": "Back-off restarting failed container ctr" if index < bad else "Started ctr",
        "involvedObject": {"kind": "Pod", "namespace": "gpu", "name": f"{PLUGIN}-{index}"},
        "source": {"component": "kubelet", "host": f"node-{index}"},
        "firstTimestamp": "2026-11-30T09:30:00Z",
        "lastTimestamp": "2026-11-30T09:59:00Z",
        "count": 12,
    }


def log(index: int, bad: int) -> str:
    """A log of some length, with the kubelet's time before each line."""
    said = [BAD_LINE if index < bad else GOOD_LINE, *[NOISE] * 200]
    stamps = (f"2026-11-30T09:00:{number % 60:02d}.000000000Z" for number in range(len(said)))
    return "".join(f"{stamp} {line}\n" for stamp, line in zip(stamps, said, strict=True))


def pages(plural: str, items: list[Object]) -> list[bytes]:
    """The bytes of every page; the continue token is the number of the next page."""
    made = []
    for start in range(0, max(1, len(items)), PAGE):
        head: Object = {"resourceVersion": "2000000"}
        if start + PAGE < len(items):
            head["continue"] = str(start // PAGE + 1)
        body = {"kind": f"{plural}List", "apiVersion": "v1", "metadata": head}
        made.append(msgspec.json.encode(body | {"items": items[start : start + PAGE]}))
    return made


async def serve(nodes: int, pods: int, bad: int) -> None:
    """Serve until cancelled."""
    served = {plural: pages(plural, items) for plural, items in state(nodes, pods, bad).items()}
    nothing = pages("none", [])

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        if request.path == "/version":
            return web.json_response({"gitVersion": "v1.37.2"})
        if (found := LOG.fullmatch(request.path)) is not None:
            return web.Response(text=log(int(found["index"]), bad))
        place = LISTED.fullmatch(request.path)
        within = place is not None and place[2]
        listed = served.get(place["plural"], nothing) if place and not within else nothing
        body = listed[int(request.query.get("continue", "0"))]
        return web.Response(body=body, content_type="application/json")

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


def numbers(arguments: Iterable[str]) -> tuple[int, int, int]:
    """Nodes, pods and bad nodes."""
    nodes, pods, bad = map(int, arguments)
    return nodes, pods, bad


if __name__ == "__main__":
    asyncio.run(serve(*numbers(sys.argv[1:])))
