"""Lists: of now, of an earlier version, and page by page.

A page after the first shows the objects of the version that the first one showed: what was written
since is undone. Source: k8s.io/apiserver/pkg/storage/{continue.go,etcd3/store.go,etcd3/errors.go}
(1.37).
"""

import binascii
from base64 import urlsafe_b64decode, urlsafe_b64encode
from bisect import bisect_left
from collections.abc import Iterator

import msgspec

from bridgehead.twin.api.options import ListOptions, Selection
from bridgehead.twin.errors import ApiError, bad_request, gone
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, name_of, namespace_of
from bridgehead.twin.pods import PODS, pods_on
from bridgehead.twin.store import CompactedError, Key, Store

_DIGITS = 20
"""Of a number of 64 bits; longer ones need not be read."""
_TOO_OLD = "The resourceVersion for the provided list is too old."
_CONTINUE_TOO_OLD = (
    "The provided continue parameter is too old to display a consistent list result. You can "
    "start a new list without the continue parameter, or use the continue token in this response "
    "to retrieve the remainder of the results. Continuing with the provided token results in an "
    "inconsistent list - objects that were created, modified, or deleted between the time the "
    "first chunk was returned and now may show up in the list."
)
_FUTURE = "etcdserver: mvcc: required revision is a future revision"
_NOT_VALID = "invalid continue token: continue key is not valid"


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """A list, or a part of one."""

    objects: list[Object]
    version: int
    token: str = ""
    """How to ask for what follows; empty at the end."""
    remaining: int | None = None

    @property
    def metadata(self) -> Object:
        """As the list itself says it."""
        metadata: Object = {"resourceVersion": str(self.version)}
        if self.token:
            metadata["continue"] = self.token
        if self.remaining is not None:
            metadata["remainingItemCount"] = self.remaining
        return metadata


class _Token(msgspec.Struct, frozen=True):
    v: str = ""
    rv: int = 0
    start: str = ""


def listed(store: Store, kind: Kind, options: ListOptions) -> Page:
    """The objects that are asked for. Raises ApiError: 400, 410, and 504 of a version to come."""
    version, start, exact = store.version, None, False
    if options.token:
        if options.version and options.version != "0":
            message = "specifying resource version is not allowed when using continue"
            raise bad_request(message)
        token = _read(options.token)
        start = _key(token.start)
        if token.rv > store.version:
            raise ApiError(500, "", _FUTURE)
        if token.rv != -1:
            version, exact = token.rv, True
    elif options.version and options.version != "0":
        asked = version_of(options.version, "invalid resource version: ")
        require_known(store, asked)
        if options.match == "Exact" or (options.limit and not options.match):
            version, exact = asked, True
    limit = 0 if options.version == "0" and not options.token else options.limit
    try:
        undone = store.undone(kind.stored, version) if exact else {}
    except CompactedError:
        raise _expired(options, start) from None
    return _page(
        store, kind, options.selection, version=version, start=start, limit=limit, undone=undone
    )


def _expired(options: ListOptions, start: Key | None) -> ApiError:
    if not options.token or start is None:
        return gone(_TOO_OLD)
    error = gone(_CONTINUE_TOO_OLD)
    error.status["metadata"] = {"continue": _written(-1, start)}
    return error


def _page(
    store: Store,
    kind: Kind,
    selection: Selection,
    *,
    version: int,
    start: Key | None,
    limit: int,
    undone: dict[Key, Object | None],
) -> Page:
    keys = _keys(store, kind, selection, undone)
    if start is not None:
        keys = keys[bisect_left(keys, start) :]
    found: list[Object] = []
    for place, key in enumerate(keys):
        obj = undone[key] if key in undone else store.get(kind.stored, *key)
        if obj is None or not selection.matches(obj):
            continue
        found.append(obj)
        if len(found) == limit and place + 1 < len(keys):
            remaining = len(keys) - place - 1 if selection.is_everything else None
            after = (key[0], f"{key[1]}\0")
            return Page(
                objects=found,
                version=version,
                token=_written(version, after),
                remaining=remaining,
            )
    return Page(objects=found, version=version)


def _keys(
    store: Store, kind: Kind, selection: Selection, undone: dict[Key, Object | None]
) -> list[Key]:
    """Sorted keys of all objects that may be asked for."""
    name = selection.exactly("metadata.name")
    if name is not None and (selection.namespace or not kind.namespaced):
        key = (selection.namespace, name)
        there = undone[key] if key in undone else store.get(kind.stored, *key)
        return [key] if there is not None else []
    node = selection.exactly("spec.nodeName")
    if node and not undone and kind.stored == PODS:
        keys = ((namespace_of(pod), name_of(pod)) for pod in pods_on(store, node))
        return [key for key in keys if selection.namespace in {"", key[0]}]
    keys_now = store.keys(kind.stored, selection.namespace)
    if not undone:
        return keys_now
    merged = {key for key in keys_now if undone.get(key, True) is not None}
    merged.update(_returning(undone, selection.namespace))
    return sorted(merged)


def _returning(undone: dict[Key, Object | None], namespace: str) -> Iterator[Key]:
    for key, obj in undone.items():
        if obj is not None and namespace in {"", key[0]}:
            yield key


def version_of(text: str, prefix: str = "") -> int:
    """A resourceVersion as a number. Raises ApiError 400."""
    why = "invalid syntax"
    if text.isascii() and text.isdigit():
        digits = text.lstrip("0") or "0"
        if len(digits) <= _DIGITS and int(digits) < 1 << 64:
            return int(digits)
        why = "value out of range"
    raise bad_request(
        f'{prefix}resourceVersion: Invalid value: "{text}": '
        f'strconv.ParseUint: parsing "{text}": {why}'
    )


def require_known(store: Store, version: int) -> None:
    """Raises ApiError 504 where a version is yet to come."""
    if version > store.version:
        message = f"Timeout: Too large resource version: {version}, current: {store.version}"
        cause = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
        details = {"causes": [cause], "retryAfterSeconds": 1}
        raise ApiError(504, "Timeout", message, details, headers={"Retry-After": "1"})


def _written(version: int, start: Key) -> str:
    namespace, name = start
    path = f"/{namespace}/{name}" if namespace else f"/{name}"
    token = msgspec.json.encode(_Token("meta.k8s.io/v1", version, path))
    return urlsafe_b64encode(token).decode().rstrip("=")


def _read(text: str) -> _Token:
    try:
        raw = urlsafe_b64decode(text + "=" * (-len(text) % 4))
        token = msgspec.json.decode(raw, type=_Token)
    except binascii.Error:
        where = _not_base64(text)
        raise bad_request(f"{_NOT_VALID}: illegal base64 data at input byte {where}") from None
    except (msgspec.DecodeError, ValueError):
        why = "invalid character looking for beginning of value"
        raise bad_request(f"{_NOT_VALID}: {why}") from None
    if token.v != "meta.k8s.io/v1":
        why = f"server does not recognize this encoded version {token.v}"
        raise bad_request(f"{_NOT_VALID}: {why}")
    if token.rv == 0 or token.rv < -1:
        why = "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"
        raise bad_request(f"{_NOT_VALID}: {why}")
    if not token.start.strip("/"):
        why = "encoded start key empty (version meta.k8s.io/v1)"
        raise bad_request(f"{_NOT_VALID}: {why}")
    return token


def _not_base64(text: str) -> int:
    """Where Go stops reading: at the first foreign character, or before a lone last one."""
    for place, character in enumerate(text):
        if not (character.isascii() and (character.isalnum() or character in "-_")):
            return place
    return len(text) // 4 * 4


def _key(path: str) -> Key:
    namespace, _, name = path.lstrip("/").rpartition("/")
    return namespace, name
