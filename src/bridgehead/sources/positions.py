"""Manifests with the place of every value in them."""

from collections.abc import Iterable, Iterator

import msgspec

from bridgehead.core.findings.manifest import Manifest, Path, Place
from bridgehead.core.findings.result import PassedOver
from bridgehead.core.findings.suppression import Ignore
from bridgehead.core.model.json import text
from bridgehead.core.model.problem import Problem
from bridgehead.sources.comments import ignores_in
from bridgehead.sources.embedded import embedded_in
from bridgehead.sources.json_file import json_document
from bridgehead.sources.parsed import Parsed, TextError
from bridgehead.sources.recognition import SPEC, broken_object, what_else
from bridgehead.sources.yaml_file import yaml_documents


class TextRead(msgspec.Struct, frozen=True, kw_only=True):
    """What a text holds: objects, comments for the linter, a spec of ours, and the rest.

    A problem ends the reading of a text: what stands before it was read.
    """

    manifests: tuple[Manifest, ...] = ()
    ignores: tuple[Ignore, ...] = ()
    passed_over: tuple[PassedOver, ...] = ()
    problems: tuple[Problem, ...] = ()
    is_spec: bool = False


def manifests_in(content: str, file: str) -> tuple[Manifest, ...]:
    """The objects of a YAML file; raises TextError. What is no object is left out."""
    found: list[Manifest] = []
    for parsed in yaml_documents(content, with_places=True):
        if what_else(parsed.value) is None:
            found.extend(_objects(parsed, file))
    return tuple(found)


def read_text(content: str, file: str, *, as_json: bool = False) -> TextRead:
    """Everything in a text; nothing is raised for a bad one."""
    manifests: list[Manifest] = []
    others: list[PassedOver] = []
    problems: list[Problem] = []
    is_spec = False
    try:
        for parsed in _json(content) if as_json else yaml_documents(content, with_places=True):
            if parsed.value is None:
                continue
            broken, what = broken_object(parsed.value), what_else(parsed.value)
            if broken:
                problems.append(_problem(file, parsed.line, 1, broken))
            elif what == SPEC:
                is_spec = True
            elif what is not None:
                others.append(PassedOver(file=file, line=parsed.line, what=what))
            else:
                manifests.extend(_objects(parsed, file))
    except TextError as error:
        problems.append(_problem(file, error.line, error.column, _reason(content, error, as_json)))
    return TextRead(
        manifests=tuple(manifests),
        ignores=() if as_json else ignores_in(content, file),
        passed_over=tuple(others),
        problems=tuple(problems),
        is_spec=is_spec,
    )


def is_json(content: str) -> bool:
    """Whether a text without a name is JSON; YAML may begin with a brace, too."""
    if not content.lstrip().startswith("{"):
        return False
    try:
        json_document(content)
    except TextError:
        return False
    return True


def _json(content: str) -> Iterable[Parsed]:
    """The value by a JSON reader, the places by the one of YAML, which reads most of JSON."""
    parsed = json_document(content)
    if what_else(parsed.value) is not None:
        return [parsed]
    try:
        return list(yaml_documents(content, with_places=True))
    except TextError:
        return [parsed]


def _objects(parsed: Parsed, file: str) -> Iterator[Manifest]:
    """The object of a document, or those of a list."""
    value = parsed.value
    assert isinstance(value, dict)
    if not (text(value, "kind").endswith("List") and "items" in value):
        yield Manifest(
            data=value,
            file=file,
            line=parsed.line,
            places=parsed.places,
            texts=embedded_in(value),
        )
        return
    kind = text(value, "kind").removesuffix("List")
    of_kind = {"kind": kind, "apiVersion": text(value, "apiVersion")} if kind else {}
    entries = value["items"] if isinstance(value["items"], list) else []
    places = _by_entry(parsed)
    for number, entry in enumerate(entries):
        line = parsed.places.get(("items", number), (parsed.line, 1))[0]
        data = {**of_kind, **entry} if isinstance(entry, dict) else {}
        if text(data, "kind") and text(data, "apiVersion"):
            yield Manifest(
                data=data,
                file=file,
                line=line,
                places=places.get(number, {}),
                texts=embedded_in(data),
            )


def _by_entry(parsed: Parsed) -> dict[int, dict[Path, Place]]:
    """The places inside each entry of a list, as the entry calls them."""
    found: dict[int, dict[Path, Place]] = {}
    for path, place in parsed.places.items():
        if len(path) > 2 and path[0] == "items" and isinstance(path[1], int):
            found.setdefault(path[1], {})[path[2:]] = place
    return found


def _problem(file: str, line: int, column: int, message: str) -> Problem:
    return Problem(file=file, line=line, column=column, message=message)


def _reason(content: str, error: TextError, as_json: bool) -> str:
    reason = f"this is no {'JSON' if as_json else 'YAML'}: {error.reason}"
    if "{{" in content:
        return f"{reason}; it looks like a template: lint what it renders to, not the template"
    return f"{reason}; what follows in this file was not read"
