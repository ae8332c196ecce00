"""The API of a twin: a request in, an answer out. No part of it knows how bytes travel."""

from collections.abc import Callable, Mapping

from bridgehead.twin.api.addresses import Address, address_of
from bridgehead.twin.api.answers import Answers, refusal
from bridgehead.twin.api.bodies import LARGEST, too_large
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.deleting import Deleting
from bridgehead.twin.api.exchange import Answer, Request, Stream
from bridgehead.twin.api.gate import Access, OpenDoor, User, attributes_of
from bridgehead.twin.api.general import GENERAL, General, method_not_allowed, not_found_text
from bridgehead.twin.api.negotiation import form_of
from bridgehead.twin.api.options import Query
from bridgehead.twin.api.pod_parts import Evict, Logs, PodParts, Proxy, no_logs
from bridgehead.twin.api.reading import Reading
from bridgehead.twin.api.scaling import Scaling
from bridgehead.twin.api.watching import Watches
from bridgehead.twin.api.writing import Writing
from bridgehead.twin.errors import ApiError, no_such_path, not_found
from bridgehead.twin.kinds import Kind
from bridgehead.twin.pods import index_by_node
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.openapi import OpenApi

_OF_OBJECT = {"GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
_OF_COLLECTION = {"GET": "list", "POST": "create", "DELETE": "deletecollection"}

Serve = Callable[[Call], Answer | Stream]
Parts = Mapping[tuple[str, str], Mapping[str, Serve]]
"""Who answers a verb for a part of a resource (the empty one: for itself)."""


class Api:
    """Answers everything that a client of Kubernetes asks."""

    def __init__(
        self,
        registry: Registry,
        *,
        evict: Evict,
        logs: Logs = no_logs,
        access: Access | None = None,
        parts: Parts | None = None,
        documents: OpenApi | None = None,
    ) -> None:
        """``logs``: of the nodes; ``access``: users and rules, without which everybody may do all;
        ``parts``: more to answer, by resource and part of it; ``documents``: of custom kinds too,
        where they are known.
        """
        self._access: Access = access or OpenDoor()
        self._registry = registry
        self.watches = Watches(registry.store)
        answers = Answers(registry)
        self._general = General(registry.kinds, documents or OpenApi())
        reading = Reading(registry, answers, self.watches)
        writing = Writing(registry, answers, self._access)
        deleting = Deleting(registry, answers)
        self._serve: dict[str, Serve] = {
            "get": reading.get,
            "list": reading.list_page,
            "watch": reading.watch,
            "create": writing.create,
            "update": writing.update,
            "patch": writing.patch,
            "delete": deleting.delete,
            "deletecollection": deleting.delete_collection,
        }
        self._parts = {**_parts(registry, answers, logs, evict), **(parts or {})}
        index_by_node(registry.store)

    async def handle(self, request: Request) -> Answer | Stream:
        """Answer a request; a refusal is an answer too."""
        try:
            return self._answer(request)
        except ApiError as error:
            return refusal(error, request)

    async def close(self) -> None:
        """End all watches."""
        await self.watches.close()

    def _answer(self, request: Request) -> Answer | Stream:
        user = self._access.authenticate(request)
        address = address_of(request.path)
        verb = verb_of(request, address) if address is not None else None
        self._access.authorize(user, attributes_of(request, address, verb))
        if address is None or not address.plural:
            parts = [part for part in request.path.split("/") if part]
            if not parts or parts[0] in GENERAL:
                return self._general.answer(request, parts)
            return not_found_text()
        if len(request.body) > LARGEST:
            raise too_large()
        kind = self._kind(address)
        if kind is None:
            known = any(kind.group == address.group for kind in self._registry.kinds)
            if not known:
                return not_found_text()
            raise no_such_path()
        return self._resource(request, user, address, kind)

    def _kind(self, address: Address) -> Kind | None:
        return self._registry.kinds.at_path(address.group, address.version, address.plural)

    def _resource(
        self, request: Request, user: User, address: Address, kind: Kind
    ) -> Answer | Stream:
        if address.name and kind.namespaced and not address.namespace:
            raise no_such_path()
        if address.namespace and not kind.namespaced and kind.plural != "namespaces":
            raise no_such_path()
        if kind.namespaced and not address.namespace and "list" not in kind.verbs:
            raise no_such_path()
        verb = verb_of(request, address)
        part = kind.subresource(address.subresource) if address.subresource else None
        if address.subresource and part is None:
            raise not_found(kind, address.name) if kind.custom else no_such_path()
        verbs = part.verbs if part else kind.verbs
        if verb is None or verb not in verbs:
            raise method_not_allowed()
        if verb in {"create", "deletecollection"} and kind.namespaced and not address.namespace:
            raise method_not_allowed()
        call = Call(
            request=request,
            address=address,
            kind=kind,
            verb=verb,
            user=user,
            form=form_of(request),
        )
        return self._part(call)(call)

    def _part(self, call: Call) -> Serve:
        """Who answers a call: for a part of an object perhaps another one than for the object."""
        plural, part = call.kind.plural, call.address.subresource
        own = self._parts.get((plural, part)) or self._parts.get(("", part))
        return (own or self._serve).get(call.verb) or self._serve[call.verb]


def _parts(registry: Registry, answers: Answers, logs: Logs, evict: Evict) -> Parts:
    """Who answers for parts of objects, by resource and part; without a resource for all."""
    pods = PodParts(registry, logs=logs, evict=evict)
    scaling = Scaling(registry, answers)
    every = ("create", "get", "update", "patch", "delete")
    shell: dict[str, Serve] = dict.fromkeys(every, pods.shell)
    proxy: dict[str, Serve] = dict.fromkeys(every, Proxy(registry).refuse)
    return {
        ("bindings", ""): {"create": pods.bind},
        ("pods", "binding"): {"create": pods.bind},
        ("pods", "eviction"): {"create": pods.evict},
        ("pods", "log"): {"get": pods.log},
        **{("pods", part): shell for part in ("attach", "exec", "portforward", "proxy")},
        **{(plural, "proxy"): proxy for plural in ("nodes", "services")},
        ("", "scale"): {"get": scaling.get, "update": scaling.update, "patch": scaling.patch},
    }


def verb_of(request: Request, address: Address) -> str | None:
    """What a request asks for, as rules of access name it; None where it is nothing."""
    if address.watch:
        return "watch" if request.method == "GET" else None
    if not address.name:
        verb = _OF_COLLECTION.get(request.method)
        return "watch" if verb == "list" and Query(request).flag("watch") else verb
    if address.subresource and request.method == "POST":
        return "create"
    return _OF_OBJECT.get(request.method)
