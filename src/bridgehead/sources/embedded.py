"""Documents inside objects: the configuration of a plugin is a text in a ConfigMap."""

import re
from collections.abc import Mapping

from bridgehead.core.findings.manifest import Embedded
from bridgehead.core.model.json import JsonObject, text, texts
from bridgehead.sources.parsed import TextError
from bridgehead.sources.yaml_file import yaml_documents

# A mapping in YAML or JSON; a certificate, a script or a table of addresses is none.
_DOCUMENT = re.compile(r"\s*(\{|(#.*\s*|---\s*)*[\w\"'.-]+\s*:(\s|$))")
_LONGEST = 256 * 1024


def embedded_in(data: JsonObject) -> Mapping[str, Embedded]:
    """The entries of a ConfigMap's data that look like documents; nothing of any other kind."""
    if text(data, "kind") != "ConfigMap":
        return {}
    return {
        key: _read(value)
        for key, value in texts(data, "data").items()
        if len(value) <= _LONGEST and _DOCUMENT.match(value)
    }


def _read(content: str) -> Embedded:
    """The first document: programs that read one read no further."""
    try:
        parsed = next(yaml_documents(content), None)
    except TextError as error:
        return Embedded(problem=f"line {error.line}: {error.reason}")
    return Embedded(value=parsed.value if parsed else None)
