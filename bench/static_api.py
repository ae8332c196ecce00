"""Serves lists of synthetic nodes and pods, page by page, as an API server would.

    uv run python -m bench.static_api NODES PODS

Prints its port when it is ready and serves until it is ended.
"""

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import msgspec
from aiohttp import web

from bench.synthetic import node, pod

PAGE = 500


def pages(kind: str, make: Callable[[int], dict[str, Any]], count: int) -> list[bytes]:
    """The bytes of every page; the continue token is the number of the next page."""
    made = []
    for start in range(0, count, PAGE):
        items = [make(index) for index in range(start, min(start + PAGE, count))]
        metadata = {"resourceVersion": "2000000"}
        if start + PAGE < count:
            metadata["continue"] = str(start // PAGE + 1)
        head = {"kind": f"{kind}List", "apiVersion": "v1", "metadata": metadata, "items": items}
        made.append(msgspec.json.encode(head))
    return made


async def serve(nodes: int, pods: int) -> None:
    """Serve until cancelled."""
    served = {"/api/v1/nodes": pages("Node", node, nodes), "/api/v1/pods": pages("Pod", pod, pods)}

    async def answer(request: web.BaseRequest) -> web.StreamResponse:
        listed = served[request.path]
        body = listed[int(request.query.get("continue", "0"))]
        return web.Response(body=body, content_type="application/json")

    runner = web.ServerRunner(web.Server(answer))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    for path, listed in served.items():
        size = sum(map(len, listed))
        print(f"{path}: {len(listed)} pages, {size / 1e6:.0f} MB", file=sys.stderr)
    print(runner.addresses[0][1], flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(int(sys.argv[1]), int(sys.argv[2])))
