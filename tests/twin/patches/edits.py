"""Random changes to an object, by every kind of write."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import Any

from tests.twin.servers import (
    APPLY_PATCH,
    JSON_PATCH,
    MERGE_PATCH,
    STRATEGIC_PATCH,
    Asked,
    Server,
)

Object = dict[str, Any]

_WORDS = ("a", "b", "c")


class Story:
    """One object of one kind, from its creation on."""

    def __init__(self, chance: Random, namespace: str, name: str) -> None:
        self.chance = chance
        self.subject = chance.choice(SUBJECTS)(chance, namespace, name)

    def begin(self, *servers: Server) -> None:
        """Nothing of that name is there."""
        self.end(*servers)

    def end(self, *servers: Server) -> None:
        """Remove the object."""
        free = {"metadata": {"finalizers": None}}
        for server in servers:
            server.ask(Asked("PATCH", self.subject.path, free, MERGE_PATCH))
            server.ask(Asked("DELETE", self.subject.path))

    def next(self) -> Asked:
        """The next request."""
        way = self.chance.choices(
            (self._create, self._apply, self._merge, self._strategic, self._json, self._reset),
            weights=(3, 6, 4, 4, 4, 1),
        )[0]
        return way()

    def _manager(self) -> tuple[str, str]:
        return "fieldManager", self.chance.choice(("one", "two", "three"))

    def _create(self) -> Asked:
        body = self.subject.whole(self.subject.configuration())
        return Asked("POST", self.subject.collection, body, query=(self._manager(),))

    def _apply(self) -> Asked:
        force = ("force", self.chance.choice(("true", "false")))
        body = self.subject.whole(self.subject.configuration())
        manager = self.chance.choice(("one", "two", "kubectl"))
        query = (("fieldManager", manager), force)
        return Asked("PATCH", self.subject.path, body, APPLY_PATCH, query)

    def _merge(self) -> Asked:
        body = self.subject.merge()
        return Asked("PATCH", self.subject.path, body, MERGE_PATCH, (self._manager(),))

    def _strategic(self) -> Asked:
        body = self.subject.strategic()
        return Asked("PATCH", self.subject.path, body, STRATEGIC_PATCH, (self._manager(),))

    def _json(self) -> Asked:
        body: list[Object] = [self.subject.operation() for _ in range(self.chance.randint(1, 3))]
        return Asked("PATCH", self.subject.path, body, JSON_PATCH, (self._manager(),))

    def _reset(self) -> Asked:
        body: Object = {"metadata": {"managedFields": [{}]}}
        return Asked("PATCH", self.subject.path, body, MERGE_PATCH, (self._manager(),))


class Subject(ABC):
    """How objects of a kind may look."""

    api_version = ""
    kind = ""
    plural = ""

    def __init__(self, chance: Random, namespace: str, name: str) -> None:
        self.chance = chance
        self.namespace = namespace
        self.name = name

    @property
    def collection(self) -> str:
        root = "/apis/" if "/" in self.api_version else "/api/"
        return f"{root}{self.api_version}/namespaces/{self.namespace}/{self.plural}"

    @property
    def path(self) -> str:
        return f"{self.collection}/{self.name}"

    def whole(self, obj: Object) -> Object:
        metadata = {**obj.get("metadata", {}), "name": self.name, "namespace": self.namespace}
        named = {"apiVersion": self.api_version, "kind": self.kind}
        return {**named, **obj, "metadata": metadata}

    def maybe(self, make: Callable[[], Any], likely: float = 0.5) -> Any:
        return make() if self.chance.random() < likely else None

    def word(self) -> str:
        return self.chance.choice(_WORDS)

    def pairs(self) -> dict[str, str]:
        return {self.word(): self.word() for _ in range(self.chance.randint(0, 3))}

    def pairs_or_nulls(self) -> dict[str, str | None]:
        words = self.chance.sample(_WORDS, self.chance.randint(1, 3))
        return {word: self.chance.choice((None, "x", self.word())) for word in words}

    def metadata(self) -> Object:
        return without_none(
            {
                "labels": self.maybe(self.pairs),
                "annotations": self.maybe(self.pairs),
                "finalizers": self.maybe(lambda: ["example.com/x"], 0.05),
            }
        )

    def metadata_change(self) -> Object:
        place = self.chance.choice(("labels", "annotations"))
        return {"metadata": {place: self.maybe(self.pairs_or_nulls, 0.9)}}

    def metadata_operation(self) -> Object:
        place = self.chance.choice(("labels", "annotations"))
        path = f"/metadata/{place}/{self.word()}"
        match self.chance.choice(("add", "remove", "replace", "test", "copy", "move", "whole")):
            case "remove":
                return {"op": "remove", "path": path}
            case "copy" | "move" as op:
                return {"op": op, "from": path, "path": f"/metadata/{place}/{self.word()}"}
            case "whole":
                return {"op": "add", "path": f"/metadata/{place}", "value": self.pairs()}
            case op:
                return {"op": op, "path": path, "value": self.word()}

    @abstractmethod
    def configuration(self) -> Object:
        """Fields to create or to apply."""

    def merge(self) -> Object:
        return self.metadata_change()

    def strategic(self) -> Object:
        return self.metadata_change()

    def operation(self) -> Object:
        return self.metadata_operation()


def without_none(obj: Object) -> Object:
    """Without the fields that came out as nothing."""
    return {key: value for key, value in obj.items() if value is not None}


class ConfigMap(Subject):
    api_version, kind, plural = "v1", "ConfigMap", "configmaps"

    def configuration(self) -> Object:
        return without_none({"metadata": self.metadata(), "data": self.maybe(self.pairs, 0.8)})

    def merge(self) -> Object:
        return self.chance.choice(
            (self.metadata_change(), {"data": self.maybe(self.pairs_or_nulls, 0.9)})
        )

    strategic = merge


class Workload(Subject):
    """Anything with a pod template."""

    api_version = "apps/v1"

    def env(self) -> list[Object]:
        names = self.chance.sample(_WORDS, self.chance.randint(0, 3))
        return [{"name": name, "value": self.word()} for name in names]

    def ports(self) -> list[Object]:
        numbers = self.chance.sample((80, 81, 82), self.chance.randint(0, 3))
        return [
            {"containerPort": number, **({"protocol": "UDP"} if self.chance.random() < 0.3 else {})}
            for number in numbers
        ]

    def container(self, name: str) -> Object:
        return without_none(
            {
                "name": name,
                "image": self.chance.choice(("i:1", "i:2")),
                "env": self.maybe(self.env),
                "ports": self.maybe(self.ports, 0.3),
                "args": self.maybe(lambda: [self.word()], 0.3),
                "imagePullPolicy": self.maybe(lambda: "Never", 0.3),
                "resources": self.maybe(lambda: {"limits": {"cpu": "1"}}, 0.3),
            }
        )

    def tolerations(self) -> list[Object]:
        return [{"key": self.word(), "operator": "Exists"}]

    def volumes(self) -> list[Object]:
        names = self.chance.sample(_WORDS, self.chance.randint(0, 2))
        return [{"name": name, "emptyDir": {}} for name in names]

    def pod(self) -> Object:
        names = self.chance.sample(("main", "side"), self.chance.randint(1, 2))
        return without_none(
            {
                "nodeSelector": {"no": "such"},
                "containers": [self.container(name) for name in names],
                "tolerations": self.maybe(self.tolerations, 0.3),
                "volumes": self.maybe(self.volumes, 0.3),
                "hostPID": self.maybe(lambda: True, 0.2),
            }
        )

    def template(self) -> Object:
        labels = {"app": "x", **self.pairs()}
        return {"metadata": {"labels": labels}, "spec": self.pod()}

    def spec(self) -> Object:
        return {"selector": {"matchLabels": {"app": "x"}}, "template": self.template()}

    def configuration(self) -> Object:
        return {"metadata": self.metadata(), "spec": self.spec()}

    def merge(self) -> Object:
        image = self.chance.choice(("i:1", "i:2"))
        containers = [{"name": "main", "image": image}]
        return self.chance.choice(
            (
                self.metadata_change(),
                {"spec": {"template": {"spec": {"containers": containers}}}},
                {"spec": {"template": {"metadata": {"annotations": self.pairs_or_nulls()}}}},
                {"spec": {"template": {"spec": {"hostPID": self.maybe(lambda: True)}}}},
                {"spec": {"template": {"spec": {"volumes": self.maybe(self.volumes)}}}},
            )
        )

    def strategic(self) -> Object:
        container: Object = {"name": self.chance.choice(("main", "side"))}
        match self.chance.choice(("image", "env", "delete", "replace", "ports", "order", "keep")):
            case "image":
                container["image"] = self.chance.choice(("i:1", "i:2"))
            case "env":
                container["env"] = self.env()
            case "delete":
                container["$patch"] = "delete"
            case "replace":
                container |= {"$patch": "replace", "image": "i:3"}
            case "ports":
                container["ports"] = self.ports()
            case "order":
                names = [{"name": name} for name in self.chance.sample(_WORDS, 3)]
                container["$setElementOrder/env"] = names
                container["env"] = [{"name": names[0]["name"], "value": "z"}]
            case _:
                container["env"] = [{"name": self.word(), "$patch": "delete"}]
        pod = {"containers": [container]}
        order = self.maybe(lambda: [{"name": "side"}, {"name": "main"}], 0.2)
        if order:
            pod["$setElementOrder/containers"] = order
        return self.chance.choice(
            (
                self.metadata_change(),
                {"spec": {"template": {"spec": pod}}},
                {"spec": {"template": {"spec": pod}}},
                {"spec": {"template": {"spec": {"volumes": [{"name": "a", "$patch": "delete"}]}}}},
                {"spec": {"template": {"spec": {"tolerations": self.tolerations()}}}},
                {"metadata": {"finalizers": ["example.com/y"]}},
                {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/x"]}},
            )
        )

    def operation(self) -> Object:
        containers = "/spec/template/spec/containers"
        return self.chance.choice(
            (
                self.metadata_operation(),
                {"op": "replace", "path": f"{containers}/0/image", "value": "i:4"},
                {"op": "add", "path": f"{containers}/-", "value": self.container("third")},
                {"op": "remove", "path": f"{containers}/1"},
                {"op": "test", "path": f"{containers}/0/image", "value": "i:1"},
                {"op": "add", "path": f"{containers}/0/env", "value": self.env()},
                {"op": "remove", "path": f"{containers}/0/env"},
            )
        )


class DaemonSet(Workload):
    kind, plural = "DaemonSet", "daemonsets"

    def spec(self) -> Object:
        strategy = self.maybe(lambda: {"type": self.chance.choice(("OnDelete", "RollingUpdate"))})
        return without_none({**super().spec(), "updateStrategy": strategy})


class Deployment(Workload):
    kind, plural = "Deployment", "deployments"

    def spec(self) -> Object:
        replicas = self.maybe(lambda: self.chance.randint(0, 2))
        return without_none({**super().spec(), "paused": True, "replicas": replicas})

    def merge(self) -> Object:
        return self.chance.choice((super().merge(), {"spec": {"replicas": 1}}))


SUBJECTS: tuple[type[Subject], ...] = (ConfigMap, DaemonSet, Deployment)
