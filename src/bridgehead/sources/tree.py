"""What a folder holds: kustomizations, charts, and files that may hold objects.

Links to folders are followed, and a folder that was seen is not entered again, so a loop ends.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from bridgehead.core.model.problem import Problem
from bridgehead.sources.manifests import KUSTOMIZATIONS

CHART = "Chart.yaml"
"""What makes a folder a chart. Source: https://helm.sh/docs/topics/charts/#the-chart-file-structure"""
SUFFIXES = frozenset({".yaml", ".yml", ".json", ".bu", ".ign"})
"""Files that are looked into; what is in them is told by their content."""


class Tree(msgspec.Struct):
    """What was found below a folder, each in the order of names."""

    files: list[Path] = []
    kustomizations: list[Path] = []
    """Folders."""
    charts: list[Path] = []
    """Folders; what is in them belongs to the chart."""
    problems: list[Problem] = []
    loops: list[tuple[Path, Path]] = []
    """Links that lead to a folder that was seen already, with that folder."""


def tree_of(folder: Path) -> Tree:
    """Look through a folder. Hidden files and folders are someone else's."""
    found = Tree()
    _enter(folder, found, {})
    return found


def kustomization_in(folder: Path) -> Path | None:
    """The folder's kustomization file, if it has one."""
    return next((folder / name for name in KUSTOMIZATIONS if (folder / name).is_file()), None)


def _enter(folder: Path, found: Tree, seen: dict[tuple[int, int], Path]) -> None:
    try:
        status = folder.stat()
        entries = sorted(_entries(folder))
    except OSError as error:
        found.problems.append(problem(folder, f"the folder cannot be read: {error.strerror}"))
        return
    key = (status.st_dev, status.st_ino)
    if key in seen:
        found.loops.append((folder, seen[key]))
        return
    seen[key] = folder
    # A pipe or a broken link of such a name is left to the reader of files, who says what it is.
    names = {path.name for path in entries if path.is_file()}
    if CHART in names:
        found.charts.append(folder)
        return
    if names & set(KUSTOMIZATIONS):
        found.kustomizations.append(folder)
    for path in entries:
        if path.is_dir():
            _enter(path, found, seen)
        elif path.suffix in SUFFIXES and path.name not in names & set(KUSTOMIZATIONS):
            found.files.append(path)


def _entries(folder: Path) -> Iterator[Path]:
    with os.scandir(folder) as listed:
        yield from (Path(entry.path) for entry in listed if not entry.name.startswith("."))


def real(path: Path) -> Path:
    """The path without links. A link to itself stays as it is: reading it says what is wrong."""
    return Path(os.path.realpath(path))


def problem(path: Path, message: str, line: int = 1, column: int = 1) -> Problem:
    """What keeps a file or folder from being read."""
    return Problem(file=str(path), line=line, column=column, message=message)
