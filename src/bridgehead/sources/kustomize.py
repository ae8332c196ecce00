"""Kustomizations: rendered by the user's kustomize or kubectl, and traced back to their files.

A rendering has no places. Each of its objects is looked for in the files that the kustomization
names, by kind and name; a value that stands there unchanged is shown there, and what a patch or a
transformer made of it at the nearest thing around it. Of what was generated, or comes from
elsewhere, the kustomization itself is shown.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from bridgehead.core.findings.manifest import Manifest, Place
from bridgehead.core.findings.manifest import Path as ValuePath
from bridgehead.core.findings.suppression import Ignore
from bridgehead.core.model.json import JsonObject, JsonValue, children, text
from bridgehead.core.model.problem import Problem
from bridgehead.sources.lintable import Lintable, Unit
from bridgehead.sources.parsed import TextError
from bridgehead.sources.plain_files import no_file
from bridgehead.sources.positions import TextRead, read_text
from bridgehead.sources.renderer import RenderError, found_program, rendered
from bridgehead.sources.tree import kustomization_in, problem, real
from bridgehead.sources.yaml_file import yaml_documents

_LISTS = (
    "resources",
    "bases",
    "components",
    "crds",
    "configurations",
    "generators",
    "transformers",
    "validators",
    "patchesStrategicMerge",
)
_WITH_PATHS = ("patches", "patchesJson6902", "replacements")
_GENERATORS = ("configMapGenerator", "secretGenerator")


def named_by(kustomizations: Iterable[Path]) -> frozenset[Path]:
    """Files and folders, resolved, that one of these kustomizations is made of."""
    return frozenset(
        real(path)
        for folder in kustomizations
        if (file := kustomization_in(folder)) is not None
        for path in _parts(folder, _kustomization(file))
    )


def read_kustomization(folder: Path) -> Lintable:
    """The objects that a kustomization makes."""
    file = kustomization_in(folder)
    assert file is not None
    if waits := next(_unreadable(folder, set()), None):
        # The renderer would wait for it.
        return Lintable(problems=(waits,))
    command = _command(folder)
    if command is None:
        message = "a kustomization, and there is neither kustomize nor kubectl on PATH to render it"
        return Lintable(problems=(problem(file, message),))
    try:
        output = rendered(command)
    except RenderError as error:
        return Lintable(problems=(problem(file, str(error)),))
    read = read_text(output, str(file))
    sources = [_read(path) for path in dict.fromkeys(_files(folder, set()))]
    originals = [item for source in sources for item in source.manifests]
    made = tuple(_traced(item, originals, file) for item in read.manifests)
    ignores: Iterator[Ignore] = (item for source in sources for item in source.ignores)
    return Lintable(
        units=(Unit(manifests=made, complete=True),),
        ignores=tuple(ignores),
        problems=read.problems,
        files=len(sources) + 1,
    )


def _command(folder: Path) -> Sequence[str] | None:
    if kustomize := found_program(("kustomize",)):
        return (kustomize, "build", str(folder))
    if kubectl := found_program(("kubectl",)):
        return (kubectl, "kustomize", str(folder))
    return None


def _kustomization(file: Path) -> JsonObject:
    """What the file says; nothing where it cannot be read: then rendering says why."""
    try:
        for parsed in yaml_documents(file.read_text(encoding="utf-8-sig")):
            if isinstance(parsed.value, Mapping):
                return parsed.value
    except (OSError, UnicodeDecodeError, TextError):
        pass
    return {}


def _parts(folder: Path, said: JsonObject) -> Iterator[Path]:
    """The files and folders of this machine that a kustomization names."""
    for name in _names(said):
        if "\n" in name or "://" in name:
            continue
        path = Path(os.path.normpath(folder / name))
        if path.exists():
            yield path


def _names(said: JsonObject) -> Iterator[str]:
    for key in _LISTS:
        found = said.get(key)
        if isinstance(found, list):
            yield from (item for item in found if isinstance(item, str))
    for key in _WITH_PATHS:
        yield from filter(None, (text(item, "path") for item in children(said, key)))
    for key in _GENERATORS:
        for item in children(said, key):
            for files in (item.get("files"), item.get("envs")):
                if isinstance(files, list):
                    yield from (str(file).rpartition("=")[2] for file in files)


def _files(folder: Path, seen: set[Path]) -> Iterator[Path]:
    """The files that a kustomization and those below it are made of; its own patches first."""
    file = kustomization_in(folder)
    if file is None or real(folder) in seen:
        return
    seen.add(real(folder))
    parts = list(_parts(folder, _kustomization(file)))
    yield from (path for path in parts if path.is_file())
    for path in parts:
        if path.is_dir():
            yield from _files(path, seen)


def _unreadable(folder: Path, seen: set[Path]) -> Iterator[Problem]:
    """Pipes, sockets and devices among what it and those below it are made of."""
    file = kustomization_in(folder)
    if file is None or real(folder) in seen:
        return
    seen.add(real(folder))
    for path in _parts(folder, _kustomization(file)):
        if path.is_dir():
            yield from _unreadable(path, seen)
        elif reason := no_file(path):
            yield problem(path, f"{file} names it, and {reason}")


def _read(path: Path) -> TextRead:
    try:
        return read_text(path.read_text(encoding="utf-8-sig"), str(path))
    except (OSError, UnicodeDecodeError):
        return TextRead()


def _traced(item: Manifest, originals: Iterable[Manifest], file: Path) -> Manifest:
    """The object at the places of the file that it comes from."""
    found = [one for one in originals if one.kind == item.kind and _renamed(one, item)]
    if not found:
        return msgspec.structs.replace(item, file=str(file), line=1, places={})
    # The nearest name, and of a resource and its patches the one that says most.
    original = max(found, key=lambda one: (len(one.ref.name), len(one.places)))
    return msgspec.structs.replace(
        item,
        file=original.file,
        line=original.line,
        places=dict(_kept(item.data, original.data, (), (), original.places)),
    )


def _renamed(original: Manifest, item: Manifest) -> bool:
    """Kustomize may put something before and after a name, and nothing else."""
    return bool(original.ref.name) and original.ref.name in item.ref.name


def _kept(
    made: JsonValue,
    written: JsonValue,
    path: ValuePath,
    source: ValuePath,
    places: Mapping[ValuePath, Place],
) -> Iterator[tuple[ValuePath, Place]]:
    """Paths of the rendering with the places where the same is written."""
    for step, other, value, original in _pairs(made, written):
        inner, at = (*path, step), (*source, other)
        compound = isinstance(value, Mapping | list) and type(value) is type(original)
        if at in places and (compound or value == original):
            yield inner, places[at]
        if compound:
            yield from _kept(value, original, inner, at, places)


def _pairs(
    made: JsonValue, written: JsonValue
) -> Iterator[tuple[str | int, str | int, JsonValue, JsonValue]]:
    """What stands in both: under the same key, or in a list by name, else at the same index."""
    if isinstance(made, Mapping) and isinstance(written, Mapping):
        yield from ((key, key, made[key], written[key]) for key in made if key in written)
    elif isinstance(made, list) and isinstance(written, list):
        named = {text(item, "name"): number for number, item in enumerate(written)}
        for number, value in enumerate(made):
            name = text(value, "name")
            other = named.get(name) if name else number
            if other is not None and other < len(written):
                yield number, other, value, written[other]
