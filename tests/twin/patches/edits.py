"""Random changes to an object, by every kind of write."""

from abc import ABC, abstractmethod
from base64 import b64encode
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

    def __init__(self, chance: Random, subject: "Subject") -> None:
        self.chance = chance
        self.subject = subject

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
            (
                *(self._create, self._apply, self._merge, self._strategic),
                *(self._json, self._reset, self._replace, self._status),
            ),
            weights=(
                *(3, 6, 4, 4, 4, 1),
                2 if self.subject.may_be_replaced else 0,
                3 if self.subject.writes_status else 0,
            ),
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

    def _replace(self) -> Asked:
        body = self.subject.whole(self.subject.configuration())
        return Asked("PUT", self.subject.path, body, query=(self._manager(),))

    def _status(self) -> Asked:
        path = f"{self.subject.path}/status"
        status = self.subject.status()
        if self.chance.random() < 0.5:
            return Asked("PATCH", path, status, MERGE_PATCH, (self._manager(),))
        query = (self._manager(), ("force", self.chance.choice(("true", "false"))))
        return Asked("PATCH", path, self.subject.whole(status), APPLY_PATCH, query)

    def _reset(self) -> Asked:
        body: Object = {"metadata": {"managedFields": [{}]}}
        return Asked("PATCH", self.subject.path, body, MERGE_PATCH, (self._manager(),))


class Subject(ABC):
    """How objects of a kind may look."""

    api_version = ""
    kind = ""
    plural = ""
    writes_status = False
    """Whether no controller writes its status, so that the test may."""
    may_be_replaced = True

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

    def status(self) -> Object:
        return {}

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


class Secret(Subject):
    api_version, kind, plural = "v1", "Secret", "secrets"

    def encoded(self) -> dict[str, str]:
        return {key: b64encode(value.encode()).decode() for key, value in self.pairs().items()}

    def configuration(self) -> Object:
        return without_none(
            {
                "metadata": self.metadata(),
                "data": self.maybe(self.encoded),
                "stringData": self.maybe(self.pairs),
            }
        )

    def merge(self) -> Object:
        return {"stringData": self.pairs_or_nulls()}

    strategic = merge


class Service(Subject):
    api_version, kind, plural = "v1", "Service", "services"

    def ports(self) -> list[Object]:
        numbers = self.chance.sample((80, 81, 82), self.chance.randint(1, 3))
        return [
            without_none(
                {
                    "name": f"p{number}",
                    "port": number,
                    "targetPort": self.maybe(lambda: self.chance.choice(("web", 8080)), 0.3),
                    "protocol": self.maybe(lambda: "TCP", 0.3),
                }
            )
            for number in numbers
        ]

    def configuration(self) -> Object:
        spec: Object = {"clusterIP": "None", "ipFamilyPolicy": "SingleStack"}
        spec |= {"ports": self.ports(), "selector": self.maybe(self.pairs)}
        return {"metadata": self.metadata(), "spec": without_none(spec)}

    def merge(self) -> Object:
        return self.chance.choice(
            (
                {"spec": {"ports": self.ports()}},
                {"spec": {"selector": self.pairs_or_nulls()}},
                self.metadata_change(),
            )
        )

    def strategic(self) -> Object:
        gone = {"port": 81, "$patch": "delete"}
        return self.chance.choice((self.merge(), {"spec": {"ports": [gone]}}))


class Custom(Subject):
    """A kind with every sort of list and map, and a status."""

    kind, plural = "Thing", "things"
    writes_status = True

    def __init__(self, chance: Random, namespace: str, name: str) -> None:
        super().__init__(chance, namespace, name)
        self.api_version = f"{custom_group(namespace)}/v1"

    def parts(self) -> list[Object]:
        names = self.chance.sample(_WORDS, self.chance.randint(0, 3))
        return [
            without_none(
                {"name": name, "size": self.maybe(lambda: 1), "kind": self.maybe(self.word)}
            )
            for name in names
        ]

    def words(self) -> list[str]:
        return self.chance.sample(_WORDS, self.chance.randint(0, 3))

    def anything(self) -> Any:
        return self.chance.choice(
            ("x", 1, [self.word()], {"a": {"b": self.word()}}, {"a": self.words()}, {})
        )

    def spec(self) -> Object:
        return without_none(
            {
                "parts": self.maybe(self.parts),
                "tags": self.maybe(self.words),
                "order": self.maybe(self.words),
                "settings": self.maybe(self.pairs),
                "whole": self.maybe(self.pairs),
                "free": self.maybe(lambda: {"x": self.anything(), self.word(): self.anything()}),
                "amount": self.maybe(lambda: self.chance.choice((1, "50%"))),
            }
        )

    def configuration(self) -> Object:
        return without_none({"metadata": self.metadata(), "spec": self.maybe(self.spec, 0.9)})

    def merge(self) -> Object:
        key = self.chance.choice(("parts", "tags", "order", "settings", "whole", "free", "amount"))
        change = {key: self.spec().get(key)}
        return self.chance.choice((self.metadata_change(), {"spec": change}, {"spec": change}))

    def status(self) -> Object:
        state = self.chance.choice(("True", "False"))
        return {
            "metadata": self.metadata(),
            "spec": self.spec(),
            "status": without_none(
                {
                    "count": self.maybe(lambda: self.chance.randint(0, 2)),
                    "conditions": self.maybe(lambda: [{"type": self.word(), "status": state}]),
                }
            ),
        }

    def operation(self) -> Object:
        return self.chance.choice(
            (
                self.metadata_operation(),
                {"op": "add", "path": "/spec/tags/-", "value": self.word()},
                {"op": "add", "path": "/spec/free", "value": {"y": self.anything()}},
                {"op": "remove", "path": "/spec/parts/0"},
                {"op": "replace", "path": "/spec/settings", "value": self.pairs()},
            )
        )


def custom_group(namespace: str) -> str:
    """The group of a test's own kind."""
    return f"{namespace}.example.com"


def definition(namespace: str) -> Object:
    """Makes the custom kind known."""
    word = {"type": "string"}
    words = {"type": "array", "items": word}
    free = {"x-kubernetes-preserve-unknown-fields": True}
    part = {"name": word, "size": {"type": "integer"}, "kind": word}
    keyed = {"x-kubernetes-list-type": "map"}
    spec = {
        "parts": {
            "type": "array",
            "items": {"type": "object", "required": ["name"], "properties": part},
            **keyed,
            "x-kubernetes-list-map-keys": ["name"],
        },
        "tags": {**words, "x-kubernetes-list-type": "set"},
        "order": words,
        "settings": {"type": "object", "additionalProperties": word},
        "whole": {
            "type": "object",
            "additionalProperties": word,
            "x-kubernetes-map-type": "atomic",
        },
        "free": {"type": "object", **free},
        "amount": {"x-kubernetes-int-or-string": True},
    }
    condition = {"type": word, "status": word}
    status = {
        "count": {"type": "integer"},
        "conditions": {
            "type": "array",
            "items": {"type": "object", "required": ["type"], "properties": condition},
            **keyed,
            "x-kubernetes-list-map-keys": ["type"],
        },
    }
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": spec},
            "status": {"type": "object", "properties": status},
        },
    }
    group = custom_group(namespace)
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
        "subresources": {"status": {}},
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "names": {"kind": "Thing", "listKind": "ThingList", "plural": "things"},
            "scope": "Namespaced",
            "versions": [version],
        },
    }


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


class Job(Workload):
    """Its template cannot be changed, and refusals of that show Go's own form of it."""

    api_version, kind, plural = "batch/v1", "Job", "jobs"
    may_be_replaced = False

    def spec(self) -> Object:
        container = {"name": "main", "image": "i:1"}
        pod = {"restartPolicy": "Never", "containers": [container]}
        template = {"metadata": {"labels": {"app": "x"}}, "spec": pod}
        limit = self.maybe(lambda: self.chance.randint(0, 2))
        return without_none({"template": template, "suspend": True, "backoffLimit": limit})

    def merge(self) -> Object:
        change = {"spec": {"activeDeadlineSeconds": self.maybe(lambda: 5)}}
        return self.chance.choice((self.metadata_change(), change))

    strategic = merge

    def operation(self) -> Object:
        return self.metadata_operation()


class Deployment(Workload):
    kind, plural = "Deployment", "deployments"

    def spec(self) -> Object:
        replicas = self.maybe(lambda: self.chance.randint(0, 2))
        return without_none({**super().spec(), "paused": True, "replicas": replicas})

    def merge(self) -> Object:
        return self.chance.choice((super().merge(), {"spec": {"replicas": 1}}))


SUBJECTS: tuple[type[Subject], ...] = (
    *(ConfigMap, Secret, Service, Custom, DaemonSet, Deployment, Job),
)
