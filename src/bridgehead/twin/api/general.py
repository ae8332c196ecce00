"""What is asked of the server itself rather than of objects: version, health, discovery.

Sources: k8s.io/apiserver/pkg/server/{healthz,routes} and .../endpoints/discovery (1.37).
"""

from bridgehead.twin.api import discovery
from bridgehead.twin.api.answers import value_answer
from bridgehead.twin.api.exchange import Answer, Request
from bridgehead.twin.api.negotiation import clauses_of, form_of
from bridgehead.twin.api.options import Query
from bridgehead.twin.errors import ApiError, no_such_path
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.objects import Object
from bridgehead.twin.schema.openapi import OpenApi
from bridgehead.twin.schema.recorded import recorded, recorded_bytes

_TEXT = "text/plain; charset=utf-8"
_CHECKS = ("ping", "log", "etcd", "informer-sync")
_V2 = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"
_V2_ASKED = frozenset({_V2, "application/com.github.proto-openapi.spec.v2@v1.0+protobuf", "*/*"})
_HEALTH = frozenset({"healthz", "livez", "readyz"})
GENERAL = _HEALTH | {"", "api", "apis", "openapi", "version"}
"""First parts of the paths that are answered here."""


def not_found_text() -> Answer:
    """404 as Go's own router says it."""
    return Answer(status=404, body=b"404 page not found\n", content_type=_TEXT)


class General:
    """Answers what the whole server says."""

    def __init__(self, kinds: Kinds, documents: OpenApi) -> None:
        self._kinds = kinds
        self._documents = documents

    def answer(self, request: Request, parts: list[str]) -> Answer:
        """The answer to a path, split; 404 where it is none. Raises ApiError: 405, 406."""
        of_health = bool(parts) and parts[0] in _HEALTH
        if request.method != "GET" and not (of_health and request.method == "HEAD"):
            raise method_not_allowed()
        match parts:
            case []:
                return self._value(request, {"paths": self._paths()})
            case ["version"]:
                return value_answer(recorded("discovery")["version"], form_of(request))
            case [health, *check] if health in _HEALTH:
                return _health(request, health, check)
            case ["api" | "apis" as root]:
                return self._root(request, root)
            case ["api", "v1"]:
                return self._resources(request, "", "v1")
            case ["openapi", "v2"]:
                return _openapi_v2(request)
            case ["openapi", "v3", *path]:
                return self._openapi(request, "/".join(path))
            case ["apis", name]:
                told = discovery.group(self._kinds, name)
                return self._value(request, told) if told else not_found_text()
            case ["apis", name, version]:
                return self._resources(request, name, version)
            case ["api", _]:
                raise no_such_path()
            case _:
                return not_found_text()

    def _root(self, request: Request, root: str) -> Answer:
        kinds = self._kinds
        if _wants_everything(request):
            answer = self._value(request, discovery.aggregated(kinds, core=root == "api"))
            return Answer(
                body=answer.body,
                content_type=discovery.AGGREGATED,
                headers={"Vary": "Accept"},
            )
        if root == "api":
            return self._value(request, discovery.core_versions(request.headers.get("host", "")))
        return self._value(request, discovery.group_list(kinds))

    def _resources(self, request: Request, group: str, version: str) -> Answer:
        told = discovery.resource_list(self._kinds, group, version)
        if told is not None:
            return self._value(request, told)
        if any(kind.group == group for kind in self._kinds):
            raise no_such_path()
        return not_found_text()

    def _openapi(self, request: Request, path: str) -> Answer:
        told = self._documents.document(path) if path else self._documents.index()
        if told is None:
            return not_found_text()
        return self._value(request, told)

    def _value(self, request: Request, value: Object) -> Answer:
        return value_answer(value, form_of(request, resource=False))

    def _paths(self) -> list[str]:
        found = {"/api", "/apis", "/openapi/v3", "/version", *(f"/{name}" for name in _HEALTH)}
        for kind in self._kinds:
            root = f"/apis/{kind.group}" if kind.group else "/api"
            found |= {root, f"{root}/{kind.version}"}
        return sorted(found)


def _wants_everything(request: Request) -> bool:
    for clause in clauses_of(request.headers.get("accept", "")):
        asked = clause.parameters
        if asked.get("as") == "APIGroupDiscoveryList" and asked.get("v") == "v2":
            return True
        if clause.media_type in {"application/json", "*/*"} and "as" not in asked:
            return False
    return False


def _openapi_v2(request: Request) -> Answer:
    """Of the built-in kinds, as protobuf alone: the form in which kubectl asks for it."""
    if not any(
        clause.media_type in _V2_ASKED for clause in clauses_of(request.headers.get("accept", ""))
    ):
        raise ApiError(406, "NotAcceptable", f"only the following media types are accepted: {_V2}")
    return Answer(body=recorded_bytes("openapi_v2.pb"), content_type=_V2)


def _health(request: Request, name: str, check: list[str]) -> Answer:
    if check and (len(check) > 1 or check[0] not in _CHECKS):
        return not_found_text()
    body = "ok"
    if "verbose" in Query(request) and not check:
        lines = "".join(f"[+]{item} ok\n" for item in _CHECKS)
        body = f"{lines}{name} check passed\n"
    return Answer(body=body.encode(), content_type=_TEXT, headers={"Cache-Control": "no-cache"})


def method_not_allowed() -> ApiError:
    """405 of a method that a path does not know."""
    message = "the server does not allow this method on the requested resource"
    return ApiError(405, "MethodNotAllowed", message, {})
