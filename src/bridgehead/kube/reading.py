"""Verbs that read: get, list, watch, logs, discovery."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, TypeVar

import msgspec

from bridgehead.kube.call import Call, Sender, query
from bridgehead.kube.decoding import JsonObject, decode, decode_raw
from bridgehead.kube.discovery import Discovery, read_discovery
from bridgehead.kube.errors import Request
from bridgehead.kube.listing import Fetch, Listing, read_each, read_list
from bridgehead.kube.objects.base import ObjectMeta, Partial
from bridgehead.kube.resources import PODS, Resource

T = TypeVar("T")


class ServerVersion(Partial, frozen=True):
    """Version of the API server, e.g. `v1.37.2`."""

    git_version: str = ""
    major: str = ""
    minor: str = ""
    platform: str = ""


class Bare(Partial, frozen=True):
    """An object of which only the metadata was asked for."""

    metadata: ObjectMeta = ObjectMeta()


_BARE = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
"""What every API server since Kubernetes 1.15 answers with objects that have metadata only."""


class Reading:
    """The reading half of `Kube`."""

    _transport: Sender

    async def get(self, resource: Resource[T], name: str, namespace: str | None = None) -> T:
        """One object as a struct."""
        call = _read(resource, "get", namespace, name)
        return decode(await self._transport.send(call), resource.type, str(call.request))

    async def get_raw(
        self, resource: Resource[Any], name: str, namespace: str | None = None
    ) -> JsonObject:
        """One object as plain values, whole."""
        call = _read(resource, "get", namespace, name)
        return decode_raw(await self._transport.send(call), str(call.request))

    async def list(
        self,
        resource: Resource[T],
        namespace: str | None = None,
        label_selector: str | None = None,
        field_selector: str | None = None,
        page: int = 500,
    ) -> Listing[T]:
        """All objects as structs, read `page` at a time; without a namespace, of all namespaces."""
        selectors = query(labelSelector=label_selector, fieldSelector=field_selector)
        return await self._list(resource, resource.type, namespace, selectors, page)

    async def list_raw(
        self,
        resource: Resource[Any],
        namespace: str | None = None,
        label_selector: str | None = None,
        field_selector: str | None = None,
        page: int = 500,
    ) -> Listing[JsonObject]:
        """All objects as plain values. Costs 30 KB a pod: not for whole clusters."""
        selectors = query(labelSelector=label_selector, fieldSelector=field_selector)
        return await self._list(resource, JsonObject, namespace, selectors, page)

    async def list_each(
        self,
        resource: Resource[Any],
        each: Callable[[msgspec.Raw], T],
        namespace: str | None = None,
        page: int = 500,
    ) -> Listing[T]:
        """What ``each`` makes of every object's JSON: for lists of which most is passed over.

        After an expired continue token ``each`` sees the objects from the first on again.
        """
        fetch = self._fetching(resource, namespace, (), "application/json")
        return await read_each(fetch, each, page=page, named=f"list {resource.qualified}")

    async def list_metadata(
        self,
        resource: Resource[Any],
        namespace: str | None = None,
        label_selector: str | None = None,
    ) -> Listing[Bare]:
        """All objects without what they hold, whatever their size."""
        selectors = query(labelSelector=label_selector)
        return await self._list(resource, Bare, namespace, selectors, 500, accept=_BARE)

    async def _list(
        self,
        resource: Resource[Any],
        kind: type[T],
        namespace: str | None,
        selectors: tuple[tuple[str, str], ...],
        page: int,
        *,
        accept: str = "application/json",
    ) -> Listing[T]:
        fetch = self._fetching(resource, namespace, selectors, accept)
        return await read_list(fetch, kind, page=page, named=f"list {resource.qualified}")

    def _fetching(
        self,
        resource: Resource[Any],
        namespace: str | None,
        selectors: tuple[tuple[str, str], ...],
        accept: str,
    ) -> Fetch:
        async def fetch(limit: int, token: str) -> bytes:
            paging = query(limit=limit or None, **{"continue": token or None})
            options = (*selectors, *paging)
            return await self._transport.send(
                _read(resource, "list", namespace, options=options, accept=accept)
            )

        return fetch

    def watch_stream(
        self,
        resource: Resource[Any],
        namespace: str | None,
        options: tuple[tuple[str, str], ...],
        *,
        silence: float,
    ) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Raw chunks of a watch, for `kube.watch.Reflector`, which knows what to make of them."""
        call = _read(resource, "watch", namespace, options=(("watch", "true"), *options))
        return self._transport.stream(call, silence=silence)

    async def logs(
        self,
        namespace: str,
        pod: str,
        container: str,
        *,
        previous: bool = False,
        tail_lines: int | None = None,
        limit_bytes: int | None = None,
        since_seconds: int | None = None,
        timestamps: bool = False,
    ) -> str:
        """What a container wrote; `previous` is its last ended instance. Bytes that are no UTF-8
        are replaced; `timestamps` puts the time before each line. BadRequest while the container
        has not started.
        """
        asked = query(
            container=container,
            previous="true" if previous else None,
            tailLines=tail_lines,
            limitBytes=limit_bytes,
            sinceSeconds=since_seconds,
            timestamps="true" if timestamps else None,
        )
        call = Call(
            request=Request("get", "pods/log", namespace, pod),
            method="GET",
            path=PODS.path(namespace, pod, "log"),
            query=asked,
            accept="*/*",
            repeatable=True,
        )
        return (await self._transport.send(call)).decode(errors="replace")

    async def server_version(self) -> ServerVersion:
        """Version of the server; the cheapest way to learn that it answers."""
        body = await self._transport.send(_get("/version"))
        return decode(body, ServerVersion, "get /version")

    async def discover(self) -> Discovery:
        """All resources that the server serves, custom ones included."""
        return await read_discovery(lambda path, accept: self._transport.send(_get(path, accept)))


def _read(
    resource: Resource[Any],
    verb: str,
    namespace: str | None,
    name: str = "",
    options: tuple[tuple[str, str], ...] = (),
    *,
    accept: str = "application/json",
) -> Call:
    return Call(
        request=Request(verb, resource.qualified, namespace or "", name),
        method="GET",
        path=resource.path(namespace, name),
        query=options,
        accept=accept,
        repeatable=True,
    )


def _get(path: str, accept: str = "application/json") -> Call:
    return Call(Request("get", path), "GET", path, accept=accept, repeatable=True)
