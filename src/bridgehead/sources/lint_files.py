"""Reads what lint was pointed at; what cannot be read costs nothing else its turn."""

from collections.abc import Sequence
from pathlib import Path

import msgspec

from bridgehead.core.findings.manifest import Manifest
from bridgehead.core.findings.result import PassedOver
from bridgehead.sources.charts import read_chart, read_stream
from bridgehead.sources.kustomize import named_by, read_kustomization
from bridgehead.sources.lintable import Lintable, joined, units_of
from bridgehead.sources.manifests import KUSTOMIZATIONS
from bridgehead.sources.plain_files import no_file
from bridgehead.sources.positions import TextRead, read_text
from bridgehead.sources.tree import CHART, kustomization_in, problem, real, tree_of

LARGEST = 8 * 1024 * 1024
"""Bytes of a file that is read. An object has at most 1.5 MiB (etcd's default request limit)."""
STDIN = Path("-")
"""The path that stands for the standard input."""
STDIN_NAME = "<stdin>"


class FileRead(msgspec.Struct, frozen=True):
    """One file with what it holds."""

    path: Path
    read: TextRead


def read_paths(paths: Sequence[Path], stdin: bytes = b"") -> Lintable:
    """Everything at these paths. ``stdin`` is what came in, for the path ``-``.

    Files that are named one by one belong together, as do those of one folder.
    """
    paths = [_meant(path) for path in paths]
    files = [path for path in paths if path != STDIN and not path.is_dir()]
    parts = [_together([_asked_file(path) for path in files], asked=True)] if files else []
    for path in paths:
        if path == STDIN:
            parts.append(_stream(stdin))
        elif path.is_dir():
            parts.append(_folder(path))
    return joined(parts)


def _meant(path: Path) -> Path:
    """The file that makes a folder a kustomization or a chart stands for the folder."""
    return path.parent if path.name in (*KUSTOMIZATIONS, CHART) and path.is_file() else path


def _stream(content: bytes) -> Lintable:
    """What came in; nothing at all is what a pipe brings whose first command has failed."""
    try:
        found = read_stream(content.decode("utf-8-sig"), STDIN_NAME)
    except UnicodeDecodeError as error:
        message = f"it is not UTF-8: {error.reason} at byte {error.start}"
        return Lintable(asked=(problem(Path(STDIN_NAME), message),))
    if found.asked or found.passed_over or any(unit.manifests for unit in found.units):
        return found
    message = "nothing came in; did the command before it fail?"
    return Lintable(asked=(problem(Path(STDIN_NAME), message),))


def _folder(folder: Path) -> Lintable:
    """A kustomization and a chart that were named are what was asked for; others are among more."""
    if (folder / CHART).is_file():
        return _as_asked(read_chart(folder))
    tree = tree_of(folder)
    part_of = named_by(tree.kustomizations)
    top = kustomization_in(folder)
    rendered = [item for item in tree.kustomizations if real(item) not in part_of]
    parts = [
        _together([_file(path) for path in tree.files if real(path) not in part_of]),
        *(
            _as_asked(read_kustomization(item))
            if top and item == folder
            else read_kustomization(item)
            for item in rendered
        ),
        *(read_chart(item) for item in tree.charts if real(item) not in part_of),
        Lintable(
            problems=tuple(tree.problems),
            passed_over=tuple(
                PassedOver(file=str(link), line=1, what=f"a link back to {target}")
                for link, target in tree.loops
            ),
        ),
    ]
    found = joined(parts)
    if not (found.units or found.specs or found.problems or found.asked):
        message = (
            "nothing that lint knows is here: no Kubernetes object, kustomization, chart or spec"
        )
        return joined((found, Lintable(asked=(problem(folder, message),))))
    return found


def _as_asked(found: Lintable) -> Lintable:
    """The same, its problems being with what the user named."""
    return msgspec.structs.replace(found, problems=(), asked=(*found.asked, *found.problems))


def _together(files: Sequence[FileRead], *, asked: bool = False) -> Lintable:
    """Files whose objects belong together."""
    manifests: list[Manifest] = [one for item in files for one in item.read.manifests]
    problems = tuple(one for item in files for one in item.read.problems)
    return Lintable(
        units=units_of(manifests),
        ignores=tuple(one for item in files for one in item.read.ignores),
        specs=tuple(item.path for item in files if item.read.is_spec),
        passed_over=tuple(one for item in files for one in item.read.passed_over),
        problems=() if asked else problems,
        asked=problems if asked else (),
        files=len(files),
    )


def _asked_file(path: Path) -> FileRead:
    """A file that the user named; a pipe (``<(helm template ...)``) serves as well."""
    return _file(path, named=True)


def _file(path: Path, *, named: bool = False) -> FileRead:
    try:
        if reason := no_file(path, named=named):
            return _unread(path, reason)
        if (size := path.stat().st_size) > LARGEST:
            return _unread(
                path, f"it has {size / 1048576:.1f} MiB; files of more than 8 MiB are not read"
            )
        content = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        return _unread(path, f"the file is not UTF-8: {error.reason} at byte {error.start}")
    except FileNotFoundError:
        return _unread(path, "there is no such file or folder")
    except OSError as error:
        return _unread(path, f"the file cannot be read: {error.strerror}")
    return FileRead(path, read_text(content, str(path), as_json=path.suffix in {".json", ".ign"}))


def _unread(path: Path, reason: str) -> FileRead:
    return FileRead(path, TextRead(problems=(problem(path, reason),)))
