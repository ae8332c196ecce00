"""Pydantic's errors become problems: in the words of the spec, with the place and what was read."""

from collections.abc import Iterator
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from bridgehead.core.model.problem import Problem
from bridgehead.spec.document import Document, Path, path_text
from bridgehead.spec.reserved import EXACTLY_ONE, RESERVED_KEYS, RESERVED_VALUES, not_yet
from bridgehead.spec.scalar import described, rewritten
from bridgehead.spec.schema import homes_of, keys_at

_EXPECTED = {
    "model_type": "a mapping",
    "dict_type": "a mapping",
    "list_type": "a list",
    "string_type": "a text",
    "int_type": "a whole number",
    "bool_type": "true or false",
}
_WANTED = {"string_type": "text", "unfit": "text", "int_type": "integer", "bool_type": "boolean"}


def mistakes(document: Document, error: ValidationError) -> Iterator[Problem]:
    """One problem for each thing that the writer has to change."""
    details = error.errors(include_url=False, include_input=False)
    misspelt = {
        (*path[:-1], meant)
        for detail in details
        if detail["type"] == "extra_forbidden"
        and (meant := _meant(path := _path(detail))) is not None
    }
    for detail in details:
        path = _path(detail)
        if path in document.refused:
            continue
        if detail["type"] == "extra_forbidden":
            yield _unknown_key(document, path)
        elif detail["type"] != "missing":
            yield _wrong_value(document, path, detail)
        elif path not in misspelt and not _reserved_instead(document, path):
            yield _missing(document, path)


def _path(detail: ErrorDetails) -> Path:
    """Where the error lies; pydantic marks an error in a mapping's key by a last part ``[key]``."""
    path = detail["loc"]
    return path[:-1] if path and path[-1] == "[key]" else path


def _unknown_key(document: Document, path: Path) -> Problem:
    name, key, parent = path_text(path), str(path[-1]), path[:-1]
    if key in RESERVED_KEYS.get(parent, ()):
        return document.at_key(path, not_yet(name), "remove it")
    suggestion = None
    if meant := _meant(path):
        suggestion = f"did you mean {meant}?"
    elif homes := homes_of(key):
        suggestion = f"it belongs under {' or '.join(homes)}"
    elif path == ("spec",):
        suggestion = "the keys of a rollout stand at the top level, without spec"
    elif known := keys_at(parent):
        suggestion = f"known here: {', '.join(known)}"
    return document.at_key(path, f"{name} is an unknown key", suggestion)


def _meant(path: Path) -> str | None:
    """The known key that an unknown one is close to."""
    key, parent = str(path[-1]), path[:-1]
    reserved = RESERVED_KEYS.get(parent, ())
    if key in reserved:
        return None
    folded = {_folded(known): known for known in (*keys_at(parent), *reserved)}
    close = get_close_matches(_folded(key), folded, n=1, cutoff=0.7)
    return folded[close[0]] if close else None


def _folded(key: str) -> str:
    return key.lower().replace("_", "").replace("-", "")


def _reserved_instead(document: Document, path: Path) -> bool:
    """Whether one of the other choices of an exactly-one mapping was written: it says so itself."""
    written = document.get(*path[:-1])
    choices = EXACTLY_ONE.get(path[:-1], ())
    return isinstance(written, dict) and any(choice in written for choice in choices)


def _missing(document: Document, path: Path) -> Problem:
    name = path_text(path)
    suggestion = None
    if keys := keys_at(path):
        suggestion = f"write {path[-1]}: with {', '.join(keys)}"
    return document.at_key(path, f"{name} is missing", suggestion)


def _wrong_value(document: Document, path: Path, detail: ErrorDetails) -> Problem:
    kind, context, name = detail["type"], detail.get("ctx", {}), path_text(path)
    value, scalar = document.get(*path), document.scalars.get(path)
    if kind == "wrong":
        message = f"{name}: {context['reason']}"
        if context["offset"]:
            return document.inside(path, context["offset"], message)
        # The key of an open mapping (`change.images`) can be what is wrong.
        if detail["loc"][-1] == "[key]":
            return document.at_key(path, message)
        return document.at_value(path, message)
    if kind in ("enum", "literal_error"):
        return _wrong_choice(document, path, str(context["expected"]))
    if kind in ("too_short", "greater_than_equal"):
        least = context.get("min_length", context.get("ge"))
        what = "number of entries" if kind == "too_short" else "value"
        return document.at_value(path, f"{name}: the least {what} is {least}")
    expected = context.get("expected") or _EXPECTED[kind]
    message = f"{name}: expected {expected}, found {described(value, scalar)}"
    return document.at_value(path, message, rewritten(value, scalar, _WANTED.get(kind, "")))


def _wrong_choice(document: Document, path: Path, expected: str) -> Problem:
    name, value, scalar = path_text(path), document.get(*path), document.scalars.get(path)
    if value in RESERVED_VALUES.get(path, ()):
        return document.at_value(path, not_yet(f"{name}: {value}"))
    choices = [choice.strip("'") for choice in expected.replace(" or ", ", ").split(", ")]
    close = get_close_matches(value, choices, n=1) if isinstance(value, str) else []
    found = described(value, scalar)
    return document.at_value(
        path,
        f"{name}: expected {' or '.join(choices)}, found {found}",
        f"did you mean {close[0]}?" if close else rewritten(value, scalar, "text"),
    )
