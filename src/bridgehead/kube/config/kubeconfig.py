"""Reads kubeconfig files and merges them as kubectl does: the first file to name a thing wins.

Source of the rules: Kubernetes documentation, "Organizing Cluster Access Using kubeconfig Files",
section "Merging kubeconfig files": for an entry that two files define, only the values of the
first one count, even those that do not conflict.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec
import yaml

from bridgehead.kube.errors import ConfigError

_TOP_LEVEL = {
    "apiVersion",
    "kind",
    "preferences",
    "clusters",
    "users",
    "contexts",
    "current-context",
    "extensions",
}


class Entry(msgspec.Struct, frozen=True):
    """A named cluster, user or context and the file it stands in."""

    kind: str
    name: str
    fields: dict[str, Any]
    file: Path

    def __str__(self) -> str:
        return f"{self.kind} {self.name!r} in {self.file}"

    def __repr__(self) -> str:
        return f"Entry({self})"

    def refuse_unknown(self, known: Iterable[str]) -> None:
        """A field that we do not know may change who we are or where we go: never ignore it."""
        unknown = sorted(set(self.fields) - set(known))
        if unknown:
            raise ConfigError(
                f"{self} has the field {unknown[0]!r}, which bridgehead does not implement; "
                "remove it or use another context"
            )

    def text(self, field: str) -> str:
        """The field as text, empty when absent or null."""
        value = self.fields.get(field)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise ConfigError(f"{self}: {field} must be text, not {type(value).__name__}")
        return value

    def flag(self, field: str) -> bool:
        """The field as a boolean, false when absent or null."""
        value = self.fields.get(field)
        if value is not None and not isinstance(value, bool):
            raise ConfigError(f"{self}: {field} must be true or false")
        return bool(value)

    def strings(self, field: str) -> tuple[str, ...]:
        """The field as a list of text, empty when absent or null."""
        value = self.fields.get(field) or []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise ConfigError(f"{self}: {field} must be a list of text")
        return tuple(value)

    def path(self, field: str) -> Path | None:
        """The field as a path, relative to the file that the entry stands in."""
        value = self.text(field)
        return self.file.parent / value if value else None


class Kubeconfig(msgspec.Struct, frozen=True):
    """One or several files merged."""

    files: tuple[Path, ...]
    clusters: dict[str, Entry]
    users: dict[str, Entry]
    contexts: dict[str, Entry]
    current_context: str

    @property
    def named(self) -> str:
        """The files, for error texts."""
        return ", ".join(str(file) for file in self.files)


def read_kubeconfig(paths: Iterable[Path]) -> Kubeconfig:
    """Read and merge existing files, in order of precedence."""
    merged = Kubeconfig(files=(), clusters={}, users={}, contexts={}, current_context="")
    for path in paths:
        content = _load(path)
        current = content.get("current-context") or ""
        merged = Kubeconfig(
            files=(*merged.files, path),
            clusters=_entries(path, content, "cluster") | merged.clusters,
            users=_entries(path, content, "user") | merged.users,
            contexts=_entries(path, content, "context") | merged.contexts,
            current_context=merged.current_context or str(current),
        )
    return merged


def _load(path: Path) -> dict[str, Any]:
    try:
        content = yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)
    except OSError as error:
        raise ConfigError(f"cannot read the kubeconfig {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f" line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        # The parser's own text may quote the file, and with it a secret.
        raise ConfigError(
            f"the kubeconfig {path} is not valid YAML:{where or ' not text'}"
        ) from None
    if content is None:
        return {}
    if not isinstance(content, dict):
        raise ConfigError(f"the kubeconfig {path} is not a mapping of clusters, users and contexts")
    kind = content.get("kind", "Config")
    if kind != "Config" or content.get("apiVersion", "v1") != "v1":
        raise ConfigError(f"{path} is not a kubeconfig: expected kind Config of apiVersion v1")
    unknown = sorted(str(key) for key in set(content) - _TOP_LEVEL)
    if unknown:
        raise ConfigError(f"the kubeconfig {path} has the field {unknown[0]!r}, which is unknown")
    return content


def _entries(path: Path, content: dict[str, Any], kind: str) -> dict[str, Entry]:
    listed = content.get(f"{kind}s") or []
    if not isinstance(listed, list):
        raise ConfigError(f"the kubeconfig {path}: {kind}s must be a list")
    entries: dict[str, Entry] = {}
    for item in listed:
        name = item.get("name") if isinstance(item, dict) else None
        fields = (item.get(kind) or {}) if isinstance(item, dict) else None
        if not isinstance(name, str) or not isinstance(fields, dict):
            raise ConfigError(f"the kubeconfig {path}: every one of {kind}s needs name and {kind}")
        if name in entries:
            raise ConfigError(f"the kubeconfig {path} names the {kind} {name!r} twice")
        entries[name] = Entry(kind, name, fields, path)
    return entries
