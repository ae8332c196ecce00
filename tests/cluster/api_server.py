"""A server with a small cluster in it, of which a test may forbid parts. Real HTTP."""

from typing import Any

from aiohttp import web

from tests.kube.scripted import ScriptedServer, status

TEMPLATE = {"spec": {"containers": [{"name": "c", "image": "i:1"}]}}
OBJECTS: dict[str, list[dict[str, Any]]] = {
    "/api/v1/nodes": [{"metadata": {"name": "n1"}}],
    "/api/v1/pods": [{"metadata": {"namespace": "ns", "name": "p"}, "spec": {"nodeName": "n1"}}],
    "/api/v1/namespaces": [
        {"metadata": {"name": "ns"}, "status": {"phase": "Active"}},
        {"metadata": {"name": "old"}, "status": {"phase": "Terminating"}},
    ],
    "/apis/apps/v1/daemonsets": [
        {"metadata": {"namespace": "ns", "name": "ds", "uid": "u"}, "spec": {"template": TEMPLATE}}
    ],
    "/apis/apps/v1/controllerrevisions": [
        {
            "metadata": {
                "namespace": "ns",
                "name": f"{owner}-{number}",
                "labels": {"controller-revision-hash": f"h{number}"},
                "ownerReferences": [{"kind": kind, "name": owner, "uid": uid, "controller": True}],
            },
            "revision": number,
            "data": {"spec": {"template": TEMPLATE}},
        }
        for number, owner, kind, uid in (
            (2, "ds", "DaemonSet", "u"),
            (1, "ds", "DaemonSet", "u"),
            (3, "other", "StatefulSet", "s"),
        )
    ],
}


class ApiServer(ScriptedServer):
    """Serves the objects above, less the paths that a test forbids."""

    def __init__(self) -> None:
        super().__init__()
        self.forbidden: set[str] = set()
        self.handler = self.serve

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        if path in self.forbidden:
            return status(403, "Forbidden", f'pods is forbidden: User "me" cannot list {path}')
        if path == "/version":
            return web.json_response({"gitVersion": "v1.37.2"})
        collection = path.replace("/namespaces/ns", "")
        return web.json_response({"metadata": {}, "items": OBJECTS[collection]})
