"""Whatever is sent is answered: objects with junk in any place, under any method, to a whole twin.

Neither the API nor a part of the twin that sees what was let in may fail.
"""

import asyncio
import copy
import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from bridgehead.twin.api.exchange import Answer, Request, Stream
from bridgehead.twin.nodes.fleet import Fleet, Machine
from bridgehead.twin.twin import Twin
from tests.twin.virtually import START, virtually

POD: dict[str, Any] = {
    "containers": [
        {
            "name": "c",
            "image": "x",
            "resources": {"limits": {"cpu": "1"}},
            "env": [{"name": "a", "value": "b"}],
            "ports": [{"containerPort": 80}],
            "volumeMounts": [{"name": "v", "mountPath": "/x"}],
            "readinessProbe": {"httpGet": {"path": "/", "port": 80}},
        }
    ],
    "volumes": [{"name": "v", "emptyDir": {}}],
    "tolerations": [{"key": "a", "operator": "Exists"}],
    "nodeSelector": {"a": "b"},
}
SELECTOR = {"matchLabels": {"a": "b"}}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": POD}
WORKLOAD = {"selector": SELECTOR, "template": TEMPLATE}
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
CRD: dict[str, Any] = {
    "metadata": {"name": "foos.ex.com"},
    "spec": {
        "group": "ex.com",
        "names": {"plural": "foos", "kind": "Foo"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "properties": {"a": {"type": "integer"}}}
                        },
                    }
                },
            }
        ],
    },
}
OBJECTS: dict[str, dict[str, Any]] = {
    "/api/v1/namespaces/default/configmaps": {
        "metadata": {
            "name": "x",
            "labels": {"a": "b"},
            "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "y", "uid": "1"}],
        },
        "data": {"a": "b"},
    },
    "/api/v1/namespaces/default/pods": {"metadata": {"name": "x"}, "spec": POD},
    "/api/v1/nodes": {
        "metadata": {"name": "x"},
        "spec": {"taints": [{"key": "a", "effect": "NoSchedule"}]},
        "status": {"allocatable": {"cpu": "1"}, "conditions": [{"type": "Ready"}]},
    },
    "/api/v1/namespaces": {"metadata": {"name": "x"}},
    "/api/v1/namespaces/default/events": {
        "metadata": {"name": "x"},
        "involvedObject": {"kind": "Pod", "namespace": "default"},
        "count": 3,
    },
    "/apis/apps/v1/namespaces/default/deployments": {
        "metadata": {"name": "x"},
        "spec": {**WORKLOAD, "strategy": {"rollingUpdate": {"maxSurge": "25%"}}},
    },
    "/apis/apps/v1/namespaces/default/daemonsets": {
        "metadata": {"name": "x"},
        "spec": {**WORKLOAD, "updateStrategy": {"rollingUpdate": {"maxUnavailable": 1}}},
    },
    "/apis/batch/v1/namespaces/default/jobs": {
        "metadata": {"name": "x"},
        "spec": {"template": {"spec": {**POD, "restartPolicy": "Never"}}},
    },
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets": {
        "metadata": {"name": "x"},
        "spec": {"minAvailable": 1, "selector": SELECTOR},
    },
    "/apis/rbac.authorization.k8s.io/v1/clusterroles": {
        "metadata": {"name": "x"},
        "rules": [{"verbs": ["get"], "apiGroups": [""], "resources": ["pods"]}],
    },
    CRDS: CRD,
    "/apis/ex.com/v1/namespaces/default/foos": {"metadata": {"name": "x"}, "spec": {"a": 1}},
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": {
        "spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}
    },
    "/api/v1/namespaces/default/pods/x/eviction": {
        "metadata": {"name": "x"},
        "deleteOptions": {"gracePeriodSeconds": 1},
    },
    "/api/v1/namespaces/default/pods/x/binding": {
        "metadata": {"name": "x"},
        "target": {"kind": "Node", "name": "n1"},
    },
}
JUNK: list[Any] = [
    *(None, True, 0, -1, 1.5, 1 << 62, "", "x", "a/b/c", "ü\0", "9" * 300, "25%", "-5", "1e999999"),
    *([], {}, [1], [None], [[]], {"a": None}, {"": ""}, {"x": {"y": []}}, "2026-13-01T00:00:00Z"),
]
PATCHES = ("json-patch+json", "merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml")
FORMS = ("", "application/yaml", "application/json;as=Table;v=v1;g=meta.k8s.io")
QUERIES = [
    *([("dryRun", "All")], [("force", "1")], [("fieldValidation", "Strict")], [("limit", "1")]),
    *([("watch", "1")], [("labelSelector", "a=b")], [("fieldSelector", "metadata.name=x")]),
    *([("container", "c")], [("resourceVersion", "3")], [("propagationPolicy", "Orphan")]),
]


def _places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield place
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, below in inner:
        yield from _places(below, (*place, key))


def _spoilt(value: Any, chance: random.Random) -> Any:
    """The value with something else, or nothing, in some places."""
    value = copy.deepcopy(value)
    for _ in range(chance.choice([0, 1, 1, 2])):
        *way, last = chance.choice([place for place in _places(value) if place] or [("x",)])
        target = value
        for key in way:
            target = target[key]
        if not isinstance(target, dict | list) or not target:
            continue
        if chance.random() < 0.25:
            del target[last]
        else:
            target[last] = copy.deepcopy(chance.choice(JUNK))
    return value


def _request(chance: random.Random) -> Request:
    path = chance.choice(list(OBJECTS))
    body: Any = _spoilt(OBJECTS[path], chance)
    name = "foos.ex.com" if path == CRDS else chance.choice(["x", "y"])
    if isinstance(body, dict) and isinstance(body.get("metadata"), dict):
        body["metadata"]["name"] = chance.choice([name, name, name, *JUNK])
    method = chance.choice(["POST", "POST", "PUT", "PATCH", "PATCH", "DELETE", "GET"])
    content_type = "application/json"
    query = list(chance.choice([[], [], *QUERIES]))
    if method == "PATCH":
        content_type = f"application/{chance.choice(PATCHES)}"
        query.append(("fieldManager", "m"))
        if "json-patch" in content_type:
            target = "/".join(map(str, chance.choice(list(_places(OBJECTS[path])))))
            verb = chance.choice(["add", "replace", "remove", "test", "move"])
            body = [
                {"op": verb, "path": f"/{target}", "value": chance.choice(JUNK), "from": "/spec"}
            ]
    if method == "DELETE":
        body = _spoilt({"propagationPolicy": "Foreground", "gracePeriodSeconds": 1}, chance)
    if method != "POST" and chance.random() < 0.9 and path.count("/") < 7:
        path += f"/{name}{chance.choice(['', '', '', '/status', '/scale', '/log'])}"
    return Request(
        method=method,
        path=path,
        query=tuple(query),
        headers={
            "authorization": "Bearer administrator",
            "content-type": content_type,
            "accept": chance.choice(FORMS),
        },
        body=b"" if method == "GET" else msgspec.json.encode(body),
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_junk_in_any_place_is_answered_and_leaves_the_twin_at_work(seed: int) -> None:
    @virtually
    async def play() -> None:
        failures: list[object] = []
        asyncio.get_running_loop().set_exception_handler(
            lambda _, context: failures.append(context.get("exception") or context["message"])
        )
        chance, codes = random.Random(seed), Counter[int]()
        twin = Twin(start=START, fleet=Fleet(Machine(name=f"n{number}") for number in range(2)))
        twin.start()
        for _ in range(1_000):
            answer: Answer | Stream = await twin.api.handle(_request(chance))
            if isinstance(answer, Answer):
                codes[answer.status] += 1
            else:
                await answer.chunks.aclose()
            if chance.random() < 0.05:
                await asyncio.sleep(chance.choice([0.1, 1, 30]))
        await asyncio.sleep(600)
        await twin.stop()
        assert failures == []
        assert {200, 201, 400, 404, 422} <= set(codes)

    play()
