"""The kinds that the twin serves, as discovery tells of them."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import msgspec


class Subresource(msgspec.Struct, frozen=True, kw_only=True):
    """What can be asked of an object beside itself: ``status``, ``scale``, ``log``."""

    name: str
    group: str = ""
    version: str = ""
    kind: str = ""
    """Kind of its body, where it is another one than the object's."""
    verbs: tuple[str, ...] = ()


class Column(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A column of a custom kind's rows: one of its definition's ``additionalPrinterColumns``."""

    name: str
    type: str
    json_path: str
    """Where in the object the cell is: a simple JSONPath, ``.status.phase``."""
    format: str = ""
    description: str = ""
    priority: int = 0


class CustomSchema:
    """The ``openAPIV3Schema`` of one version of a custom kind; one is equal to itself alone."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        self.value = value


class Stored(NamedTuple):
    """Under which name objects are kept: all served versions of a resource are one."""

    group: str
    plural: str


class Kind(msgspec.Struct, frozen=True, kw_only=True, cache_hash=True):
    """One resource in one version."""

    group: str
    """Empty for the core group."""
    version: str
    kind: str
    plural: str
    singular: str = ""
    namespaced: bool = True
    verbs: tuple[str, ...] = ()
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    subresources: tuple[Subresource, ...] = ()
    custom: bool = False
    """Whether a CustomResourceDefinition made it."""
    storage_hash: str = ""
    """As discovery tells it, of a built-in kind."""
    columns: tuple[Column, ...] = ()
    """Of a custom kind; none declared means the age alone."""
    schema: CustomSchema | None = None
    """Of a custom kind."""
    stored: Stored = Stored("", "")
    """Under which name its objects are kept: events of both groups are the same ones.

    It follows from group and plural; every read and write asks for it, so it is no property.
    """

    def __post_init__(self) -> None:
        group = "" if self.group == "events.k8s.io" else self.group
        msgspec.structs.force_setattr(self, "stored", Stored(group, self.plural))

    @property
    def api_version(self) -> str:
        """As ``apiVersion`` says it."""
        return f"{self.group}/{self.version}" if self.group else self.version

    @property
    def qualified(self) -> str:
        """As the API server names a resource in messages: ``daemonsets.apps``, ``pods``."""
        return f"{self.plural}.{self.group}" if self.group else self.plural

    def subresource(self, name: str) -> Subresource | None:
        """The subresource of that name."""
        return next((item for item in self.subresources if item.name == name), None)


class Kinds:
    """All kinds that are served now; custom ones come and go."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._by_path: dict[tuple[str, str, str], Kind] = {}
        self._by_kind: dict[tuple[str, str], Kind] = {}
        self._named: dict[tuple[str, str], Kind] = {}
        """Answers of ``named`` until something is served anew or no longer."""
        for kind in kinds:
            self.add(kind)

    def __iter__(self) -> Iterator[Kind]:
        return iter(list(self._by_path.values()))

    def add(self, kind: Kind) -> None:
        """Serve a kind, in place of an older one; a first version is preferred."""
        self._named.clear()
        self._by_path[kind.group, kind.version, kind.plural] = kind
        known = self._by_kind.get((kind.group, kind.kind))
        if known is None or known.version == kind.version:
            self._by_kind[kind.group, kind.kind] = kind

    def remove(self, kind: Kind) -> None:
        """Serve a kind no longer."""
        self._named.clear()
        self._by_path.pop((kind.group, kind.version, kind.plural), None)
        if self._by_kind.get((kind.group, kind.kind)) == kind:
            del self._by_kind[kind.group, kind.kind]
            for other in self._by_path.values():
                if (other.group, other.kind) == (kind.group, kind.kind):
                    self._by_kind.setdefault((other.group, other.kind), other)

    def at_path(self, group: str, version: str, plural: str) -> Kind | None:
        """The kind below ``/apis/GROUP/VERSION/.../PLURAL``."""
        return self._by_path.get((group, version, plural))

    def of(self, api_version: str, kind: str) -> Kind | None:
        """The kind that an object names; of another version where its own is not served."""
        group, _, version = api_version.rpartition("/")
        found = self._by_kind.get((group, kind))
        if found is None:
            return None
        return self._by_path.get((group, version, found.plural), found)

    def named(self, group: str, plural: str) -> Kind:
        """The preferred version of a resource. Raises KeyError where it is not served."""
        if not self.has(group, plural):
            raise KeyError(f"{plural}.{group}")
        return self._named[group, plural]

    def has(self, group: str, plural: str) -> bool:
        """Whether a resource is served in any version."""
        if (group, plural) not in self._named:
            for kind in self._by_path.values():
                self._named.setdefault((kind.group, kind.plural), kind)
        return (group, plural) in self._named
