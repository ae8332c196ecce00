"""Which resources a server serves.

Asks for aggregated discovery (stable since Kubernetes 1.30, one request each for the core and for
all groups); a server that does not know it answers with the old lists, which are then read group by
group.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from bridgehead.kube.decoding import decode, decode_raw
from bridgehead.kube.errors import ServerError
from bridgehead.kube.objects.base import Partial, PartialObject
from bridgehead.kube.resources import AnyResource

_ACCEPT = (
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;q=0.9"
)

Fetch = Callable[[str, str], Awaitable[bytes]]
"""Fetches a path with an `Accept` header."""


class Discovery(msgspec.Struct, frozen=True):
    """What is served. `unread` names group versions whose server does not answer."""

    resources: tuple[AnyResource, ...]
    unread: tuple[str, ...] = ()

    def find(self, kind: str, api_version: str | None = None) -> AnyResource | None:
        """The resource of a kind, in the group's preferred version unless one is named."""
        for resource in self.resources:
            if resource.kind == kind and api_version in (None, resource.api_version):
                return resource
        return None


async def read_discovery(fetch: Fetch) -> Discovery:
    """Everything that the server serves, preferred versions of a group first."""
    resources: list[AnyResource] = []
    unread: list[str] = []
    for path in ("/api", "/apis"):
        body = await fetch(path, _ACCEPT)
        answer = decode_raw(body, f"get {path}")
        if answer.get("kind") == "APIGroupDiscoveryList":
            _aggregated(decode(body, _GroupList, f"get {path}"), resources, unread)
        else:
            await _by_group(fetch, _versions(path, answer), resources, unread)
    return Discovery(tuple(resources), tuple(unread))


class _ResponseKind(Partial, frozen=True):
    kind: str = ""


class _Served(Partial, frozen=True):
    resource: str = ""
    scope: str = ""
    response_kind: _ResponseKind = _ResponseKind()


class _Version(Partial, frozen=True):
    version: str = ""
    resources: tuple[_Served, ...] = ()
    freshness: str = ""


class _GroupName(Partial, frozen=True):
    name: str = ""


class _Group(Partial, frozen=True):
    metadata: _GroupName = _GroupName()
    versions: tuple[_Version, ...] = ()


class _GroupList(Partial, frozen=True):
    items: tuple[_Group, ...] = ()


def _aggregated(groups: _GroupList, resources: list[AnyResource], unread: list[str]) -> None:
    for group in groups.items:
        name = group.metadata.name
        for version in group.versions:
            if version.freshness == "Stale":
                unread.append(f"{name}/{version.version}")
            for served in version.resources:
                namespaced = served.scope == "Namespaced"
                kind = served.response_kind.kind
                resources.append(
                    AnyResource(
                        name, version.version, served.resource, kind, namespaced, PartialObject
                    )
                )


def _versions(path: str, answer: dict[str, Any]) -> list[str]:
    """Paths of the group versions that the old kind of answer lists, preferred ones first."""
    if path == "/api":
        return [f"/api/{version}" for version in answer.get("versions") or ()]
    paths: list[str] = []
    for group in answer.get("groups") or ():
        preferred = (group.get("preferredVersion") or {}).get("groupVersion")
        listed = [version["groupVersion"] for version in group.get("versions") or ()]
        others = [version for version in listed if version != preferred]
        paths.extend(f"/apis/{version}" for version in (preferred, *others) if version)
    return paths


class _OldResource(Partial, frozen=True):
    name: str = ""
    kind: str = ""
    namespaced: bool = False


class _OldList(Partial, frozen=True):
    resources: tuple[_OldResource, ...] = ()


async def _by_group(
    fetch: Fetch, paths: list[str], resources: list[AnyResource], unread: list[str]
) -> None:
    async def read(path: str) -> _OldList | None:
        try:
            return decode(await fetch(path, "application/json"), _OldList, f"get {path}")
        except ServerError:  # an aggregated server that is down answers 503 for its group alone
            return None

    for path, listed in zip(paths, await asyncio.gather(*map(read, paths)), strict=True):
        _, _, group_version = path.removeprefix("/").partition("/")
        group, _, version = group_version.rpartition("/")
        if listed is None:
            unread.append(group_version)
            continue
        resources.extend(
            AnyResource(group, version, served.name, served.kind, served.namespaced, PartialObject)
            for served in listed.resources
            if "/" not in served.name
        )
