"""Logs of a recorded state: files of any length and encoding, read in bounded memory.

``logs/NAMESPACE_POD_CONTAINER[_previous].txt`` (names in Kubernetes hold no underscore), and the
``NAMESPACE/POD/logs.txt`` that ``kubectl cluster-info dump --output-directory`` writes, which has
the logs of all containers of a pod between lines that name them.
"""

import re
from collections import deque
from collections.abc import Iterator
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO

import msgspec

from bridgehead.core.findings.log_text import log_from, refusal_in
from bridgehead.core.findings.observed import Log, LogId
from bridgehead.core.model.problem import Problem
from bridgehead.core.model.snapshot import Unread
from bridgehead.sources.plain_files import no_file

FOLDER = "logs"
_NAME = re.compile(r"(?P<ns>[^_/]+)_(?P<pod>[^_/]+)_(?P<ctr>[^_/]+?)(?P<previous>_previous)?")
_SUFFIXES = (".txt", ".log")
_DUMP = "logs.txt"
# Source: kubectl cluster-info dump, k8s.io/kubectl/pkg/cmd/clusterinfo/clusterinfo_dump.go
_START = re.compile(
    r"==== START logs for container (?P<ctr>\S+) of pod (?P<ns>[^/]+)/(?P<pod>\S+) ===="
)
_END = re.compile(
    r"==== END logs for container (?P<ctr>\S+) of pod (?P<ns>[^/]+)/(?P<pod>\S+) ===="
)

ALL_TOGETHER = 64 * 1024 * 1024
"""Characters that all logs of a recording may take."""
LONGEST = 1024 * 1024
"""Characters that one log may take: a quarter of them from its beginning, the rest from its end."""
_LINE = 65_536
"""Characters of a line; what is beyond is left out."""


class LogsRead(msgspec.Struct, frozen=True):
    """The logs, what is to be said of the files, and what of running processes is not in them."""

    logs: dict[LogId, Log]
    problems: tuple[Problem, ...]
    unread: tuple[Unread, ...] = ()


def read_logs(folder: Path) -> LogsRead | None:
    """All logs of a recorded state; None where it has no place for any."""
    files = sorted(path for path in folder.rglob("*") if _is_log(folder, path))
    if not files:
        return LogsRead({}, ()) if (folder / FOLDER).is_dir() else None
    longest = max(4096, min(LONGEST, ALL_TOGETHER // len(files)))
    logs: dict[LogId, Log] = {}
    problems: list[Problem] = []
    unread: list[Unread] = []
    for path in files:
        try:
            reason = no_file(path)
            found, remarks = ({}, [reason]) if reason else _file(path, longest)
        except OSError as error:
            reason = f"it cannot be read: {error.strerror}"
            found, remarks = {}, [reason]
        if reason:
            unread.append(Unread(f"log {_about(folder, path)}", reason))
        refused = {key: said for key, log in found.items() if (said := _refusal(log))}
        logs.update((key, log) for key, log in found.items() if key not in refused)
        unread += [Unread(f"log {key}", said) for key, said in refused.items() if not key.previous]
        problems += [
            Problem(file=str(path), line=1, column=1, message=text, warning=bool(found))
            for text in remarks
        ]
    return LogsRead(
        dict(sorted(logs.items(), key=lambda item: str(item[0]))), tuple(problems), tuple(unread)
    )


def _refusal(log: Log) -> str:
    return refusal_in(log.lines[0]) if len(log.lines) == 1 else ""


def _about(folder: Path, path: Path) -> str:
    """The container whose log the file should be; its place where that tells none."""
    place = path.relative_to(folder)
    key = _key(place.name) if place.parts[0] == FOLDER else None
    return str(key) if key is not None else place.as_posix()


def _key(name: str) -> LogId | None:
    stem = name.removesuffix(Path(name).suffix)
    found = _NAME.fullmatch(stem)
    return found and LogId(found["ns"], found["pod"], found["ctr"], bool(found["previous"]))


def _is_log(folder: Path, path: Path) -> bool:
    """Whether it should be one; whether it is a file at all is told when it is read."""
    place = path.relative_to(folder)
    if any(part.startswith(".") for part in place.parts) or path.is_dir():
        return False
    ours = place.parts[0] == FOLDER and path.suffix in _SUFFIXES
    return ours or (path.name == _DUMP and len(place.parts) > 1)


def _file(path: Path, longest: int) -> tuple[dict[LogId, Log], list[str]]:
    with path.open("rb") as opened:
        encoding = _encoding(opened)
        lines = TextIOWrapper(opened, encoding=encoding, errors="replace", newline="\n")
        if path.name == _DUMP:
            return _dump(path, lines, longest)
        key = _key(path.name)
        if key is None:
            return {}, ["the name is not NAMESPACE_POD_CONTAINER[_previous].txt; it was not read"]
        part = _Part(longest)
        for piece in _pieces(lines):
            part.add(piece)
        remarks = [f"the log is in {encoding}, not in UTF-8"] if encoding != "utf-8-sig" else []
        return {key: part.log(remarks)}, [*remarks, *part.remarks]


def _dump(path: Path, lines: TextIOWrapper, longest: int) -> tuple[dict[LogId, Log], list[str]]:
    """All containers of a pod. Without any mark the file is the log of a pod of one container."""
    parts: dict[LogId, _Part] = {}
    current: _Part | None = None
    for piece in _pieces(lines):
        if (found := _START.match(piece)) is not None:
            key = LogId(found["ns"], found["pod"], found["ctr"])
            current = parts.setdefault(key, _Part(longest))
        elif _END.match(piece):
            current = None
        elif current is not None:
            current.add(piece)
    remarks = [text for part in parts.values() for text in part.remarks]
    if current is not None:
        remarks.append("the file ends within a log: the dump was broken off")
    if not parts and path.stat().st_size:
        remarks.append("no line tells which container it is of; it was not read")
    return {key: part.log([]) for key, part in parts.items()}, remarks


def _encoding(opened: BinaryIO) -> str:
    """By the mark that other systems begin a text with; else UTF-8, with what is none replaced."""
    mark = opened.read(4)
    opened.seek(0)
    if mark.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    return "utf-8-sig"


def _pieces(lines: TextIOWrapper) -> Iterator[str]:
    """Lines with their ends, each cut to its longest."""
    while piece := lines.readline(_LINE):
        whole = piece
        while not piece.endswith("\n") and (piece := lines.readline(_LINE)):
            pass
        yield whole if whole.endswith("\n") else f"{whole}\n"


class _Part:
    """The beginning and the end of a log, and how much lies between them."""

    def __init__(self, longest: int) -> None:
        self._room = longest // 4
        self._tail_room = longest - self._room
        self._head: list[str] = []
        self._tail: deque[str] = deque()
        self._missing = 0
        self._replaced = 0

    def add(self, line: str) -> None:
        self._replaced += "\ufffd" in line
        if self._room >= len(line) and not self._tail:
            self._head.append(line)
            self._room -= len(line)
            return
        self._tail.append(line)
        self._tail_room -= len(line)
        while self._tail_room < 0 and len(self._tail) > 1:
            self._tail_room += len(self._tail.popleft())
            self._missing += 1

    @property
    def remarks(self) -> list[str]:
        found = []
        if self._replaced:
            found.append(f"{self._replaced} lines hold bytes that are no UTF-8; they were replaced")
        if self._missing:
            found.append(f"the log is long: {self._missing} lines in its middle were not read")
        return found

    def log(self, remarks: list[str]) -> Log:
        gap = (len(self._head), self._missing) if self._missing else None
        return log_from(
            "".join((*self._head, *self._tail)),
            cut=f"{self._missing} lines after line {len(self._head)}" if gap else "",
            note="; ".join((*remarks, *self.remarks)),
            gap=gap,
        )
