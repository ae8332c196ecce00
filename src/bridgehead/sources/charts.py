"""Charts: rendered by the user's helm, and told by the comments that helm puts before each object.

A rendered object names its template (``# Source: chart/templates/plugin.yaml``). Where the template
is at hand, places are those of its lines that come nearest; on the standard input they are those of
what came in.
"""

import re
from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path

import msgspec

from bridgehead.core.findings.manifest import Manifest, Place
from bridgehead.core.findings.suppression import Ignore
from bridgehead.sources.alignment import aligned
from bridgehead.sources.lintable import Lintable, Unit
from bridgehead.sources.positions import is_json, read_text
from bridgehead.sources.renderer import RenderError, found_program, rendered
from bridgehead.sources.tree import CHART, problem

_SOURCE = re.compile(r"^# Source: (\S.*)$", re.MULTILINE)
_LIBRARY = re.compile(r"^type:\s*library\s*$", re.MULTILINE)


def read_chart(folder: Path) -> Lintable:
    """The objects of a chart with its default values."""
    helm = found_program(("helm",))
    if helm is None:
        message = "a chart, and there is no helm on PATH to render it; with it elsewhere: "
        message += "helm template FOLDER | bridgehead lint -"
        return Lintable(problems=(problem(folder / CHART, message),))
    if _is_library(folder):
        return Lintable()
    try:
        text = rendered((helm, "template", "release-name", "--include-crds", str(folder)))
    except RenderError as error:
        return Lintable(problems=(problem(folder / CHART, str(error)),))
    read = read_text(text, str(folder / CHART))
    sources = _Sources(text, folder)
    return Lintable(
        units=(Unit(manifests=tuple(map(sources.manifest, read.manifests)), complete=True),),
        ignores=tuple(map(sources.ignore, read.ignores)),
        problems=read.problems,
        files=1,
    )


def read_stream(text: str, name: str) -> Lintable:
    """Objects from the standard input: of a rendered chart, or just YAML or JSON."""
    read = read_text(text, name, as_json=is_json(text))
    sources = _Sources(text, None)
    return Lintable(
        units=(
            Unit(
                manifests=tuple(map(sources.manifest, read.manifests)),
                complete=sources.named,
            ),
        ),
        ignores=tuple(map(sources.ignore, read.ignores)),
        passed_over=tuple(read.passed_over),
        asked=read.problems,
        files=1,
    )


def _is_library(folder: Path) -> bool:
    """Whether the chart holds only pieces for others: helm renders none."""
    try:
        return bool(_LIBRARY.search((folder / CHART).read_text(encoding="utf-8")))
    except (OSError, UnicodeDecodeError):
        return False


class _Sources:
    """Which template each line of a rendering comes from."""

    def __init__(self, text: str, folder: Path | None) -> None:
        self._lines = text.split("\n")
        self._folder = folder
        self._begins = [
            (text.count("\n", 0, match.start()) + 1, match.group(1).strip())
            for match in _SOURCE.finditer(text)
        ]
        self._templates: dict[Path, Mapping[int, int]] = {}

    @property
    def named(self) -> bool:
        """Whether the text is a rendered chart."""
        return bool(self._begins)

    def manifest(self, item: Manifest) -> Manifest:
        """The object with the file that its template is."""
        source = self._source(item.line)
        if source is None:
            return item
        file = self._file(source)
        if self._folder is None:
            return msgspec.structs.replace(item, file=file)
        places = {path: self._place(place, Path(file)) for path, place in item.places.items()}
        line = self._place((item.line, 1), Path(file))[0]
        return msgspec.structs.replace(item, file=file, places=places, line=line)

    def ignore(self, item: Ignore) -> Ignore:
        """The comment with the file and the lines of its template."""
        source = self._source(item.target or item.line)
        if source is None:
            return item
        file = self._file(source)
        if self._folder is None:
            return msgspec.structs.replace(item, file=file)
        line, column = self._place((item.line, item.column), Path(file))
        target = self._place((item.target, 1), Path(file))[0] if item.target else 0
        return msgspec.structs.replace(item, file=file, line=line, column=column, target=target)

    def _source(self, line: int) -> str | None:
        """What the last such comment before a line names."""
        number = bisect_right(self._begins, line, key=lambda item: item[0])
        return self._begins[number - 1][1] if number else None

    def _file(self, source: str) -> str:
        """The comment begins with the chart's name, which may differ from the folder's."""
        return source if self._folder is None else str(self._folder / source.partition("/")[2])

    def _place(self, place: Place, file: Path) -> Place:
        if file not in self._templates:
            self._templates[file] = self._lines_of(file)
        return (self._templates[file].get(place[0], 1), place[1])

    def _lines_of(self, file: Path) -> Mapping[int, int]:
        """Lines of the rendering that this template made, with its own; none if it is not there."""
        try:
            template = [line.rstrip() for line in file.read_text(encoding="utf-8").split("\n")]
        except (OSError, UnicodeDecodeError):
            return {}
        found: dict[int, int] = {}
        for (begin, source), end in zip(self._begins, self._ends(), strict=True):
            if Path(self._file(source)) == file:
                lines = [line.rstrip() for line in self._lines[begin - 1 : end - 1]]
                found.update(zip(range(begin, end), aligned(lines, template), strict=True))
        return found

    def _ends(self) -> list[int]:
        """The line after the last of what each such comment stands before."""
        return [*(begin for begin, _ in self._begins[1:]), len(self._lines) + 1]
