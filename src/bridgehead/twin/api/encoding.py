"""Objects as bytes, made once for each object however often it is read.

Items of a list have no kind of their own where the list's kind tells it, as in the real server;
items of custom kinds have. So the bytes that are kept are those of an object without its kind, and
a list is a join of them.
"""

from collections.abc import Iterable
from typing import Any

import msgspec
import yaml

from bridgehead.twin.api.versions import served
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, name_of, namespace_of
from bridgehead.twin.store import Change, Key, Store

_encode = msgspec.json.Encoder().encode


class Encodings:
    """The bytes of all objects of a store that were ever asked for."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._kept: dict[Kind, dict[Key, tuple[Object, bytes]]] = {}
        store.subscribe(self._see)

    def item(self, kind: Kind, obj: Object) -> bytes:
        """An object as a list has it."""
        return self.whole(kind, obj) if kind.custom else self._inner(kind, obj)

    def whole(self, kind: Kind, obj: Object) -> bytes:
        """An object by itself."""
        inner = self._inner(kind, obj)
        head = f'{{"kind":"{kind.kind}","apiVersion":"{kind.api_version}"'.encode()
        return head + b"}" if inner == b"{}" else b"%b,%b" % (head, inner[1:])

    def _inner(self, kind: Kind, obj: Object) -> bytes:
        key = (namespace_of(obj), name_of(obj))
        kept = self._kept.setdefault(kind, {})
        if (found := kept.get(key)) is not None and found[0] is obj:
            return found[1]
        value = served(kind, obj)
        inner = _encode({name: value[name] for name in value if name not in {"kind", "apiVersion"}})
        if self._store.get(kind.stored, *key) is obj:
            kept[key] = (obj, inner)
        return inner

    def _see(self, change: Change) -> None:
        if change.type != "DELETED":
            return
        key = (namespace_of(change.object), name_of(change.object))
        for kind, kept in self._kept.items():
            if kind.stored == change.kind.stored:
                kept.pop(key, None)


def list_of(kind: str, api_version: str, metadata: Object, items: Iterable[bytes]) -> bytes:
    """A list of encoded items."""
    head = b'{"kind":"%b","apiVersion":"%b","metadata":%b,"items":[' % (
        kind.encode(),
        api_version.encode(),
        _encode(metadata),
    )
    return b"%b%b]}\n" % (head, b",".join(items))


def encoded(value: Any) -> bytes:
    """A value that is not kept."""
    return _encode(value)


def as_yaml(value: Any) -> bytes:
    """A value as the API server writes YAML: block style, sorted keys."""
    text: bytes = yaml.dump(
        value,
        Dumper=yaml.CSafeDumper,
        default_flow_style=False,
        encoding="utf-8",
        allow_unicode=True,
    )
    return text
