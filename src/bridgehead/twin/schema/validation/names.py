"""Forms of names, labels, keys and ports; each function yields what is wrong with a text.

Source: k8s.io/apimachinery/pkg/util/validation/validation.go and .../pkg/api/validate/content.
"""

import re
from collections.abc import Iterator

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_NAME_PART = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_LABEL_VALUE = f"({_NAME_PART})?"
_CONFIG_KEY = "[-._a-zA-Z0-9]+"

_PLAIN = re.compile(_LABEL).fullmatch
_DOTTED = re.compile(_SUBDOMAIN).fullmatch
_NAMED = re.compile(_NAME_PART).fullmatch
_VALUED = re.compile(_LABEL_VALUE).fullmatch
_KEYED = re.compile(_CONFIG_KEY).fullmatch

EMPTY = "must be non-empty"


def _too_many_characters(limit: int) -> str:
    return f"must be no more than {limit} characters"


def _too_many_bytes(limit: int) -> str:
    """As the newer half of the server's functions says it."""
    return f"must be no more than {limit} bytes"


def out_of_range(low: int, high: int) -> str:
    """How the server says that a number is outside its bounds, which belong to it."""
    return f"must be between {low} and {high}, inclusive"


def _form(message: str, form: str, *examples: str) -> str:
    told = " or ".join(f"'{example}', " for example in examples)
    return f"{message} (e.g. {told}regex used for validation is '{form}')"


_KEY_FORM = _form(
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character",
    _NAME_PART,
    "MyName",
    "my.name",
    "123-abc",
)


def dns_label(value: str) -> Iterator[str]:
    """A short name: namespaces, containers, volumes, ports."""
    if len(value) > 63:
        yield _too_many_characters(63)
    if not _PLAIN(value):
        if _DOTTED(value):
            yield "must not contain dots"
        else:
            yield _form(
                "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or "
                "'-', and must start and end with an alphanumeric character",
                _LABEL,
                "my-name",
                "123-abc",
            )


def dns_subdomain(value: str) -> Iterator[str]:
    """A long name: most objects."""
    if len(value) > 253:
        yield _too_many_characters(253)
    if not _DOTTED(value):
        yield _form(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, "
            "'-' or '.', and must start and end with an alphanumeric character",
            _SUBDOMAIN,
            "example.com",
        )


def path_segment(value: str) -> Iterator[str]:
    """A name that only has to fit into a path: roles, bindings."""
    if value in {".", ".."}:
        yield f"may not be '{value}'"
    for letter in ("/", "%"):
        if letter in value:
            yield f"may not contain '{letter}'"


def qualified_name(value: str) -> Iterator[str]:
    """A key with an optional prefix: labels, annotations, resources."""
    prefix, slash, name = value.partition("/")
    if "/" in name:
        yield (
            f"a valid label key {_KEY_FORM} with an optional DNS subdomain prefix and '/' "
            "(e.g. 'example.com/MyName')"
        )
        return
    if not slash:
        prefix, name = "", value
    elif not prefix:
        yield f"prefix part {EMPTY}"
    else:
        yield from (f"prefix part {message}" for message in dns_subdomain(prefix))
    if not name:
        yield f"name part {EMPTY}"
    elif len(name) > 63:
        yield f"name part {_too_many_bytes(63)}"
    if not _NAMED(name):
        yield f"name part {_KEY_FORM}"


def label_value(value: str) -> Iterator[str]:
    """The value of a label; may be empty."""
    if len(value) > 63:
        yield _too_many_bytes(63)
    if not _VALUED(value):
        yield _form(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' "
            "or '.', and must start and end with an alphanumeric character",
            f"({_NAME_PART})?",
            "MyValue",
            "my_value",
            "12345",
        )


def config_key(value: str) -> Iterator[str]:
    """A key of a ConfigMap or Secret, which becomes the name of a file."""
    if len(value) > 253:
        yield _too_many_characters(253)
    if not _KEYED(value):
        yield _form(
            "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
            _CONFIG_KEY,
            "key.name",
            "KEY_NAME",
            "key-name",
        )
    if value in {".", ".."}:
        yield f"must not be '{value}'"
    elif value.startswith(".."):
        yield "must not start with '..'"


def port_number(value: object) -> Iterator[str]:
    """A port of TCP, UDP or SCTP."""
    if not isinstance(value, int) or not 1 <= value <= 65535:
        yield out_of_range(1, 65535)


def port_name(value: str) -> Iterator[str]:
    """The name of a port of a container or a service."""
    if len(value) > 15:
        yield _too_many_characters(15)
    if not re.fullmatch("[-a-z0-9]*", value):
        yield "must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"
    if not re.search("[a-z]", value):
        yield "must contain at least one letter (a-z)"
    if "--" in value:
        yield "must not contain consecutive hyphens"
    if value and "-" in (value[0], value[-1]):
        yield "must not begin or end with a hyphen"


def environment_name(value: str) -> Iterator[str]:
    """The name of an environment variable, as 1.34 and later relax it."""
    if not value:
        yield f"environment variable name {EMPTY}"
    if any(not " " <= letter <= "~" or letter == "=" for letter in value):
        yield (
            "a valid environment variable name must consist only of printable ASCII characters "
            "other than '='"
        )
