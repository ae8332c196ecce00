"""A folder of Kubernetes YAML and JSON files becomes one recorded state.

Any names and subfolders; files with several documents, and Lists. What is broken is reported, and
the rest is read. A kind that occurs is taken to be complete; one that occurs nowhere was not
recorded, unless ``recorded.yaml`` in the folder says that it is complete (and empty).

A file that breaks off hurts its own kind: that of its list, or where ``recorded.yaml`` speaks of
the kind, the one that the file is named after (``KIND.json``, ``KIND-trimmed.json``). Where that
cannot be told it may be any kind, but those that are called complete and have a whole file.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bridgehead.core.model.json import JsonObject, JsonValue, text
from bridgehead.core.model.problem import Problem
from bridgehead.sources.clock import newest_time
from bridgehead.sources.json_file import json_document, whole_items
from bridgehead.sources.parsed import Parsed, TextError
from bridgehead.sources.plain_files import no_file
from bridgehead.sources.raw import RawObject
from bridgehead.sources.recorded import NAME, Recorded, recorded
from bridgehead.sources.yaml_file import yaml_documents

_SUFFIXES = frozenset({".yaml", ".yml", ".json"})
_NAMED = re.compile(r"([A-Z][A-Za-z0-9]*?)(-trimmed)?")
"""The stem of a file in a saved state: its kind, of which there may be a second file."""


class Recording(msgspec.Struct, frozen=True):
    """A recorded state.

    ``complete`` holds the kinds of which every object was recorded and read. ``hurt`` are those of
    which something could not be read; an empty text among them is a kind that cannot be told.
    ``now`` is in seconds since the epoch, None if nothing tells the time.
    """

    objects: tuple[RawObject, ...]
    complete: frozenset[str]
    now: float | None
    problems: tuple[Problem, ...]
    about: Recorded = Recorded()
    """What the recording says about itself."""
    hurt: frozenset[str] = frozenset()

    @property
    def whole(self) -> bool:
        """Whether everything in the folder could be read."""
        return all(problem.warning for problem in self.problems)


def read_folder(folder: Path, at: float | None = None) -> Recording:
    """Read a recorded state; ``at`` overrules the time that the recording gives."""
    reading = _Reading(folder, folder / NAME)
    for path in _files(folder):
        reading.file(path)
    return reading.recording(at)


def read_objects(path: Path) -> Recording:
    """Read a file of objects, or a folder of such files that says nothing about itself."""
    reading = _Reading(path, None)
    for file in _files(path) if path.is_dir() else (path,):
        reading.file(file)
    return reading.recording(None)


def _files(folder: Path) -> Iterator[Path]:
    """The files that may hold objects, in a stable order; hidden ones are someone else's."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
        if path.suffix in _SUFFIXES and not hidden and not path.is_dir():
            yield path


class _Reading:
    """Gathers objects and problems file by file."""

    def __init__(self, folder: Path, about: Path | None) -> None:
        self._folder = folder
        self._about_file = about
        self._objects: dict[tuple[str, str, str, str], RawObject] = {}
        self._kinds: set[str] = set()
        self._recorded = Recorded()
        self._problems: list[Problem] = []
        self._lost: set[str] = set()
        """Kinds of which objects could not be read; an empty text where it may be any kind."""
        self._broken: list[Path] = []
        """Files that break off, and are no lists of one kind."""
        self._whole: set[str] = set()
        """Kinds after which a file is named that was read to its end."""

    def recording(self, at: float | None) -> Recording:
        objects = tuple(self._objects.values())
        if not (objects or self._kinds or self._recorded.complete or self._problems):
            message = "no Kubernetes objects here: expected .yaml, .yml or .json files"
            self._report(str(self._folder), 1, message)
        said = self._recorded
        every = (frozenset(self._kinds) | said.complete) - said.incomplete
        # Only here: recorded.yaml is one of the last files.
        hurt = self._lost | {self._kind_of(item) for item in self._broken}
        complete = (every & said.complete & self._whole if "" in hurt else every) - hurt
        times = (at, self._recorded.at)
        now = next((time for time in times if time is not None), None)
        return Recording(
            objects=objects,
            complete=complete,
            now=newest_time(objects) if now is None else now,
            problems=tuple(self._problems),
            about=said,
            hurt=frozenset(hurt),
        )

    def _kind_of(self, broken: Path) -> str:
        """The only kind in a file that breaks off; empty where that cannot be told."""
        kind, said = _kind_named(broken), self._recorded
        read = {item.kind for item in self._objects.values() if item.file == str(broken)}
        known = kind in said.complete | said.incomplete
        return kind if known and read <= {kind} else ""

    def file(self, path: Path) -> None:
        """Read one file; what cannot be read becomes a problem."""
        before = len(self._problems)
        self._file(path)
        if len(self._problems) == before:
            self._whole.add(_kind_named(path))

    def _file(self, path: Path) -> None:
        name, content = str(path), ""
        try:
            if reason := no_file(path, named=path == self._folder):
                self._report(name, 1, reason)
                return
            content = path.read_text(encoding="utf-8-sig")
            is_json = path.suffix == ".json"
            for parsed in [json_document(content)] if is_json else yaml_documents(content):
                if path == self._about_file:
                    self._about(name, parsed)
                else:
                    self._document(name, parsed)
        except TextError as error:
            kind = "JSON" if path.suffix == ".json" else "YAML"
            message = f"this is no {kind}: {error.reason}; what follows in this file was not read"
            rest = whole_items(content) if kind == "JSON" else None
            self._breaks_off(path, error.line, message, column=error.column, within=_listed(rest))
            if rest is not None:
                self._document(name, rest)
        except UnicodeDecodeError as error:
            message = f"the file is not UTF-8: {error.reason} at byte {error.start}"
            self._breaks_off(path, 1, message)
        except OSError as error:
            self._breaks_off(path, 1, f"the file cannot be read: {error.strerror}")

    def _breaks_off(
        self, path: Path, line: int, message: str, *, column: int = 1, within: str = ""
    ) -> None:
        """Of a file something was not read; ``within``: the kind of which alone that may be."""
        if within:
            self._lost.add(within)
        else:
            self._broken.append(path)
        self._problem(str(path), line, message, column=column)

    def _about(self, name: str, parsed: Parsed) -> None:
        self._recorded, wrong = recorded(parsed.value)
        for message in wrong:
            self._report(name, parsed.line, message)

    def _document(self, name: str, parsed: Parsed) -> None:
        value = parsed.value
        if value is None:
            return
        if not isinstance(value, dict) or not (text(value, "kind") and text(value, "apiVersion")):
            message = "no Kubernetes object: it has no kind and apiVersion, and was not read"
            self._report(name, parsed.line, message, warning=True)
        elif text(value, "kind").endswith("List") and "items" in value:
            self._list(name, value, parsed)
        else:
            self._object(RawObject(value, name, parsed.line))

    def _list(self, name: str, value: JsonObject, parsed: Parsed) -> None:
        """A ``List`` of anything, or a list of one kind, whose entries may leave the kind out."""
        kind = text(value, "kind").removesuffix("List")
        of_kind = {"kind": kind, "apiVersion": text(value, "apiVersion")} if kind else {}
        if kind:
            self._kinds.add(kind)
        found = value["items"]
        # An API server may write a null for a list without entries.
        items = found if isinstance(found, list) else []
        # Entries of a list inside a list have only the outer entry's line.
        known = len(parsed.item_lines) == len(items)
        lines = parsed.item_lines if known else len(items) * (parsed.line,)
        for item, line in zip(items, lines, strict=True):
            whole: JsonValue = {**of_kind, **item} if isinstance(item, dict) else item
            self._document(name, Parsed(whole, line))

    def _object(self, item: RawObject) -> None:
        self._kinds.add(item.kind)
        # Without a name (generateName) no two objects are the same one.
        name = item.name or f"{item.file}:{item.line}"
        key = (item.api_version, item.kind, item.namespace, name)
        first = self._objects.setdefault(key, item)
        if first.data != item.data:
            message = f"{item} stands here otherwise than in {first.file}:{first.line}"
            message += ", which was kept"
            self._report(item.file, item.line, message, warning=True)

    def _report(self, file: str, line: int, message: str, *, warning: bool = False) -> None:
        """A problem; one that is no warning may have cost objects of any kind."""
        if not warning:
            self._lost.add("")
        self._problem(file, line, message, warning=warning)

    def _problem(
        self, file: str, line: int, message: str, *, column: int = 1, warning: bool = False
    ) -> None:
        self._problems.append(
            Problem(file=file, line=line, column=column, message=message, warning=warning)
        )


def _kind_named(path: Path) -> str:
    """The kind after which a file is named; empty where it is named after none."""
    named = _NAMED.fullmatch(path.stem)
    return named[1] if named is not None else ""


def _listed(rest: Parsed | None) -> str:
    """The kind of a list that breaks off; empty where its entries may be of any kind."""
    kind = text(rest.value, "kind") if rest is not None else ""
    return kind.removesuffix("List")
