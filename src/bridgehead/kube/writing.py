"""Verbs that write: create, replace, patch, apply, delete, evict."""

from collections.abc import Mapping
from typing import Any

import msgspec

from bridgehead.kube.call import BeforeSend, Call, Sender, query
from bridgehead.kube.decoding import JsonObject, decode_raw
from bridgehead.kube.errors import Request
from bridgehead.kube.preconditions import (
    JsonPatch,
    delete_options,
    names_version,
    tests_what_it_changes,
)
from bridgehead.kube.resources import PODS, Resource

FIELD_MANAGER = "bridgehead"
_UNKNOWN_FIELDS = ("fieldValidation", "Strict")
"""As kubectl: a misspelt field is an error, not something silently dropped."""


class Writing:
    """The writing half of `Kube`.

    `before_send` is called before each sending of a write, also before its repeats: whoever must
    not write any more raises there.
    """

    _transport: Sender

    async def create(
        self,
        resource: Resource[Any],
        body: Mapping[str, Any],
        *,
        dry_run: bool = False,
        repeat: bool = False,
        before_send: BeforeSend | None = None,
    ) -> JsonObject:
        """Create an object; the namespace is the one in its metadata.

        With `repeat`, a creation that got no answer is sent again: a name can be taken only once,
        but AlreadyExists with `repeated` may then speak of our own first sending.
        """
        metadata = body.get("metadata", {})
        namespace = metadata.get("namespace", "")
        if resource.namespaced and not namespace:
            raise ValueError(f"{resource.kind} to create has no namespace")
        call = Call(
            request=Request("create", resource.qualified, namespace, metadata.get("name", "")),
            method="POST",
            path=resource.path(namespace),
            query=(*_writing(dry_run), _UNKNOWN_FIELDS),
            body=msgspec.json.encode(body),
            repeatable=dry_run or (repeat and bool(metadata.get("name"))),
            before_send=before_send,
        )
        return await self._write(call)

    async def replace(
        self,
        resource: Resource[Any],
        body: Mapping[str, Any],
        *,
        subresource: str | None = None,
        dry_run: bool = False,
    ) -> JsonObject:
        """Replace an object; a resourceVersion in its metadata is a precondition (Conflict)."""
        metadata = body["metadata"]
        return await self._change(
            resource,
            metadata["name"],
            metadata.get("namespace"),
            subresource,
            verb="update",
            method="PUT",
            content_type="application/json",
            options=(*_writing(dry_run), _UNKNOWN_FIELDS),
            body=body,
            repeatable=dry_run or names_version(body),
        )

    async def patch_json(
        self,
        resource: Resource[Any],
        name: str,
        ops: JsonPatch,
        *,
        namespace: str | None = None,
        subresource: str | None = None,
        dry_run: bool = False,
        before_send: BeforeSend | None = None,
    ) -> JsonObject:
        """RFC 6902 patch; PatchTestFailed when a `test` in it does not hold."""
        return await self._change(
            resource,
            name,
            namespace,
            subresource,
            verb="patch",
            method="PATCH",
            content_type="application/json-patch+json",
            options=_writing(dry_run),
            body=ops,
            repeatable=dry_run or tests_what_it_changes(ops),
            before_send=before_send,
        )

    async def patch_merge(
        self,
        resource: Resource[Any],
        name: str,
        body: Mapping[str, Any],
        *,
        namespace: str | None = None,
        subresource: str | None = None,
        dry_run: bool = False,
        before_send: BeforeSend | None = None,
    ) -> JsonObject:
        """RFC 7386 patch; a resourceVersion in its metadata is a precondition (Conflict)."""
        return await self._change(
            resource,
            name,
            namespace,
            subresource,
            verb="patch",
            method="PATCH",
            content_type="application/merge-patch+json",
            options=_writing(dry_run),
            body=body,
            repeatable=dry_run or names_version(body),
            before_send=before_send,
        )

    async def apply(
        self,
        resource: Resource[Any],
        body: Mapping[str, Any],
        *,
        field_manager: str = FIELD_MANAGER,
        force: bool = False,
        dry_run: bool = False,
    ) -> JsonObject:
        """Server-side apply; Conflict names the managers whose fields would be taken over.

        Applying twice has the effect of applying once, so it is repeated like a read.
        """
        metadata = body["metadata"]
        forced = (("force", "true"),) if force else ()
        return await self._change(
            resource,
            metadata["name"],
            metadata.get("namespace"),
            None,
            verb="patch",
            method="PATCH",
            content_type="application/apply-patch+yaml",
            options=(*_writing(dry_run, field_manager), *forced, _UNKNOWN_FIELDS),
            body=body,
            repeatable=True,
        )

    async def delete(
        self,
        resource: Resource[Any],
        name: str,
        namespace: str | None,
        *,
        uid: str | None = None,
        resource_version: str | None = None,
        grace: int | None = None,
        propagation: str | None = None,
        dry_run: bool = False,
        before_send: BeforeSend | None = None,
    ) -> None:
        """Ask for an object's end; returns when the server has accepted, not when it is gone.

        With `uid` or `resource_version`, Conflict when the object is another one or has changed.
        `grace` in seconds; `propagation` is `Background`, `Foreground` or `Orphan`.
        """
        options = delete_options(
            uid=uid,
            resource_version=resource_version,
            grace=grace,
            propagation=propagation,
            dry_run=dry_run,
        )
        await self._change(
            resource,
            name,
            namespace,
            None,
            verb="delete",
            method="DELETE",
            content_type="application/json",
            options=(),
            body=options,
            repeatable="preconditions" in options or dry_run,
            before_send=before_send,
        )

    async def evict(
        self,
        name: str,
        namespace: str,
        *,
        uid: str,
        before_send: BeforeSend | None = None,
    ) -> None:
        """Ask for a pod's end by the Eviction API (policy/v1, Kubernetes 1.22).

        TooManyRequests where a disruption budget refuses for now; the client does not wait for that
        by itself. Conflict when the pod is another one.
        """
        body = {
            "apiVersion": "policy/v1",
            "kind": "Eviction",
            "metadata": {"name": name, "namespace": namespace},
            "deleteOptions": {"preconditions": {"uid": uid}},
        }
        call = Call(
            request=Request("create", "pods/eviction", namespace, name),
            method="POST",
            path=PODS.path(namespace, name, "eviction"),
            query=_writing(dry_run=False),
            body=msgspec.json.encode(body),
            before_send=before_send,
        )
        await self._write(call)

    async def _change(
        self,
        resource: Resource[Any],
        name: str,
        namespace: str | None,
        subresource: str | None,
        *,
        verb: str,
        method: str,
        content_type: str,
        options: tuple[tuple[str, str], ...],
        body: object,
        repeatable: bool,
        before_send: BeforeSend | None = None,
    ) -> JsonObject:
        named = f"{resource.qualified}/{subresource}" if subresource else resource.qualified
        call = Call(
            request=Request(verb, named, namespace or "", name),
            method=method,
            path=resource.path(namespace, name, subresource or ""),
            query=options,
            body=msgspec.json.encode(body),
            content_type=content_type,
            repeatable=repeatable,
            before_send=before_send,
        )
        return await self._write(call)

    async def _write(self, call: Call) -> JsonObject:
        return decode_raw(await self._transport.send(call), str(call.request))


def _writing(dry_run: bool, manager: str = FIELD_MANAGER) -> tuple[tuple[str, str], ...]:
    return query(fieldManager=manager, dryRun="All" if dry_run else None)
