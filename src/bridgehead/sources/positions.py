"""Manifests with the place of every value in them."""

from bridgehead.core.findings.manifest import Manifest
from bridgehead.core.model.json import text
from bridgehead.sources.yaml_file import yaml_documents


def manifests_in(content: str, file: str) -> tuple[Manifest, ...]:
    """The objects of a YAML file; raises TextError. What is no object is left out."""
    found = []
    for parsed in yaml_documents(content, with_places=True):
        value = parsed.value
        if isinstance(value, dict) and text(value, "kind") and text(value, "apiVersion"):
            found.append(Manifest(data=value, file=file, line=parsed.line, places=parsed.places))
    return tuple(found)
