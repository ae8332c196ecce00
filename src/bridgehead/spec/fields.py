"""The kinds of values that stand in a spec: durations, shares of nodes, images, names, selectors.

Each is a pydantic type whose validator raises one of two errors. ``unfit``: another kind of value
was read than the phrase ``expected`` names. ``wrong``: the text is not well-formed, for ``reason``,
from its character ``offset`` on. The reader of errors adds what was read and where.
"""

import re
from typing import Annotated

from pydantic import Field, PlainSerializer, PlainValidator, StrictInt, WithJsonSchema
from pydantic_core import PydanticCustomError

from bridgehead.core.model.durations import DurationError, duration_text, parse_duration
from bridgehead.core.model.image import ImageError, parse_image
from bridgehead.core.model.selectors import Selector, SelectorError, parse_selector
from bridgehead.core.plan.settings import NodeCount, NodePercentage, NodeShare

# https://kubernetes.io/docs/concepts/overview/working-with-objects/names/
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_QUALIFIED = r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?"
# https://kubernetes.io/docs/tasks/administer-cluster/extended-resource-node/
_RESOURCE_PATTERN = rf"{_SUBDOMAIN}/{_QUALIFIED}"
_RESOURCE = re.compile(_RESOURCE_PATTERN)
_PERCENTAGE = re.compile(r"([0-9]{1,3})%")


def unfit(expected: str) -> PydanticCustomError:
    """The error for another kind of value than is expected."""
    return PydanticCustomError("unfit", "expected {expected}", {"expected": expected})


def wrong(reason: str, offset: int = 0) -> PydanticCustomError:
    """The error for a text that is not well-formed."""
    return PydanticCustomError("wrong", "{reason}", {"reason": reason, "offset": offset})


def as_text(value: object, expected: str) -> str:
    """The value where it is a text."""
    if not isinstance(value, str):
        raise unfit(expected)
    return value


def _duration(value: object) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        raise wrong(f"{value} has no unit: write {value}s for seconds or {value}m for minutes")
    try:
        return parse_duration(as_text(value, "a duration such as 30s, 10m or 1h30m"))
    except DurationError as error:
        raise wrong(str(error)) from None


def _whole_seconds(value: object) -> int:
    seconds = _duration(value)
    # A Lease counts in whole seconds (coordination.k8s.io/v1, leaseDurationSeconds); below 3 s a
    # renewal every third of it would be less than a second away, above 10 min a dead run blocks.
    if seconds != int(seconds) or not 3 <= seconds <= 600:
        raise wrong(f"{value} is not within 3s and 10m in whole seconds")
    return int(seconds)


def _status_period(value: object) -> float:
    seconds = _duration(value)
    if not 1 <= seconds <= 3600:
        raise wrong(f"{value} is not within 1s and 1h")
    return seconds


def _share(value: object) -> NodeShare:
    if isinstance(value, int) and not isinstance(value, bool):
        if value < 1:
            raise wrong(f"{value} is no number of nodes: write 1 or more, or a percentage")
        return NodeCount(value)
    text = as_text(value, "a number of nodes such as 5, or a percentage such as 10%")
    found = _PERCENTAGE.fullmatch(text)
    if found is None or not 1 <= int(found[1]) <= 100:
        raise wrong(f"'{text}' is no share of nodes: write a number such as 5, or 1% to 100%")
    return NodePercentage(int(found[1]))


def _share_text(share: NodeShare) -> int | str:
    return share.count if isinstance(share, NodeCount) else str(share)


def _image(value: object) -> str:
    text = as_text(value, "an image reference such as registry.example/plugin:1.2.3")
    try:
        parse_image(text)
    except ImageError as error:
        raise wrong(str(error)) from None
    return text


def _path(value: object) -> str:
    written = as_text(value, "a path such as manifests/plugin.yaml")
    if not written.strip():
        raise wrong("a path is needed, such as manifests/plugin.yaml")
    return written


def _selector(value: object) -> Selector:
    text = as_text(value, "a label selector such as pool=gpu,!quarantined")
    try:
        return parse_selector(text)
    except SelectorError as error:
        raise wrong(error.reason, error.offset) from None


def _name(pattern: str, longest: int, rule: str) -> PlainValidator:
    compiled = re.compile(pattern)

    def check(value: object) -> str:
        text = as_text(value, "a name")
        if len(text) > longest or not compiled.fullmatch(text):
            raise wrong(f"'{text}' is no valid name: {rule}, at most {longest} characters")
        return text

    return PlainValidator(check)


def _resource(value: object) -> str:
    text = as_text(value, "a resource name such as vendor.com/device")
    vendor, _, device = text.partition("/")
    if not _RESOURCE.fullmatch(text) or len(vendor) > 253 or len(device) > 63:
        raise wrong(f"'{text}' is no device resource: write it like vendor.com/device")
    if vendor == "kubernetes.io" or vendor.endswith(".kubernetes.io"):
        raise wrong(f"'{text}' belongs to Kubernetes: a device resource has its vendor's domain")
    return text


_LABEL_RULE = "lower case letters, digits and '-', a letter or digit at both ends"
_SUBDOMAIN_RULE = "lower case letters, digits, '-' and '.', a letter or digit at both ends"

Label = Annotated[
    str,
    _name(_LABEL, 63, _LABEL_RULE),
    WithJsonSchema({"type": "string", "title": "name", "maxLength": 63, "pattern": f"^{_LABEL}$"}),
]
RunName = Annotated[
    str,
    # Names of a run's objects are built from it and must stay within 63 characters.
    _name(_LABEL, 40, _LABEL_RULE),
    WithJsonSchema({"type": "string", "title": "name", "maxLength": 40, "pattern": f"^{_LABEL}$"}),
]
ObjectName = Annotated[
    str,
    _name(_SUBDOMAIN, 253, _SUBDOMAIN_RULE),
    WithJsonSchema(
        {"type": "string", "title": "name", "maxLength": 253, "pattern": f"^{_SUBDOMAIN}$"}
    ),
]
ResourceName = Annotated[
    str,
    PlainValidator(_resource),
    WithJsonSchema({"type": "string", "title": "resource", "pattern": f"^{_RESOURCE_PATTERN}$"}),
]
Image = Annotated[str, PlainValidator(_image), WithJsonSchema({"type": "string", "title": "image"})]
FilePath = Annotated[
    str,
    PlainValidator(_path),
    WithJsonSchema({"type": "string", "title": "path", "minLength": 1}),
]
LabelSelector = Annotated[
    Selector,
    PlainValidator(_selector),
    PlainSerializer(str),
    WithJsonSchema({"type": "string", "title": "label selector"}),
]
_DURATION_SCHEMA = WithJsonSchema(
    {"type": "string", "title": "duration", "pattern": r"^(\d+(\.\d+)?(h|m|s|ms))+$"}
)
Duration = Annotated[
    float, PlainValidator(_duration), PlainSerializer(duration_text), _DURATION_SCHEMA
]
StatusPeriod = Annotated[
    float, PlainValidator(_status_period), PlainSerializer(duration_text), _DURATION_SCHEMA
]
LeaseDuration = Annotated[
    int, PlainValidator(_whole_seconds), PlainSerializer(duration_text), _DURATION_SCHEMA
]
Share = Annotated[
    NodeShare,
    PlainValidator(_share),
    PlainSerializer(_share_text),
    WithJsonSchema(
        {
            "title": "nodes or percentage",
            "anyOf": [
                {"type": "integer", "minimum": 1},
                {"type": "string", "pattern": "^([1-9][0-9]?|100)%$"},
            ],
        }
    ),
]
Count = Annotated[StrictInt, Field(ge=1)]
