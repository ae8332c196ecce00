"""What an inventory file leaves out, because it may be secret or says nothing about devices.

Removed are the last applied configuration and the values of environment variables. Of these only
names of resources stay, since plugins are told by them what to offer.
"""

import re
from collections.abc import Iterable, Mapping

from bridgehead.core.model.json import JsonObject, JsonValue, child, children

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def kept_annotations(annotations: Mapping[str, JsonValue]) -> JsonObject:
    """Annotations without the one in which kubectl keeps a copy of the whole object."""
    return {key: value for key, value in sorted(annotations.items()) if key != _LAST_APPLIED}


def trimmed_template(template: JsonObject, resources: Iterable[str]) -> JsonObject:
    """The template without values that may be secret."""
    names = tuple(resources)
    metadata, spec = child(template, "metadata"), child(template, "spec")
    trimmed: dict[str, JsonValue] = dict(template)
    if isinstance(metadata, Mapping):
        annotations = child(metadata, "annotations")
        kept = kept_annotations(annotations) if isinstance(annotations, Mapping) else None
        trimmed["metadata"] = {**metadata, **({} if kept is None else {"annotations": kept})}
    if isinstance(spec, Mapping):
        trimmed["spec"] = {
            **spec,
            **{
                field: [_without_values(item, names) for item in children(spec, field)]
                for field in ("initContainers", "containers")
                if field in spec
            },
        }
    return trimmed


def _without_values(container: JsonObject, resources: tuple[str, ...]) -> JsonObject:
    if "env" not in container:
        return container
    env = [
        {**item, "value": _resources_in(value, resources)}
        if isinstance(value := item.get("value"), str)
        else item
        for item in children(container, "env")
    ]
    return {**container, "env": env}


def _resources_in(value: str, resources: tuple[str, ...]) -> str:
    """The resource names that stand in an environment variable's value; all else is dropped."""
    found = (
        name for name in resources if re.search(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])", value)
    )
    return ",".join(sorted(found))
