"""What YAML 1.1 makes of a plain text, and how to say it.

PyYAML reads YAML 1.1, where ``no`` is a boolean, ``1:30`` is 90, ``012`` is 10 and ``1e3`` is a
text (https://yaml.org/type/). Each message names both what stands there and what was read.
"""

import re

import msgspec
import yaml

Value = bool | int | float | str | list["Value"] | dict[str, "Value"] | None

_TAGS = "tag:yaml.org,2002:"
_READ_AS = frozenset({"bool", "int", "float", "null", "str", "timestamp", "value"})
_OCTAL = re.compile(r"[-+]?0[0-7_]+")
_EXPONENT = re.compile(r"[-+]?[0-9]+(\.[0-9]*)?[eE][-+]?[0-9]+")
_TRUTHS = ("true", "false")


class Scalar(msgspec.Struct, frozen=True):
    """One value as written: its text without quotes, whether it had quotes, what it was read as."""

    text: str
    quoted: bool
    read_as: str
    value: bool | int | float | str | None


class ScalarError(ValueError):
    """A text that does not fit the tag before it."""


def read_scalar(node: yaml.ScalarNode) -> Scalar:
    """The value as PyYAML's safe loader makes it, but dates stay text; raises ScalarError."""
    read_as = node.tag.removeprefix(_TAGS)
    if read_as not in _READ_AS:
        raise ScalarError(f"the tag {node.tag} is not supported")
    quoted = node.style in ("'", '"', "|", ">")
    return Scalar(node.value, quoted, read_as, _value(node, read_as))


def _value(node: yaml.ScalarNode, read_as: str) -> bool | int | float | str | None:
    constructor = yaml.constructor.SafeConstructor()
    try:
        match read_as:
            case "bool":
                return constructor.construct_yaml_bool(node)
            case "int":
                return constructor.construct_yaml_int(node)
            case "float":
                return constructor.construct_yaml_float(node)
            case "null":
                return None
            case _:
                return str(node.value)
    except (ValueError, KeyError, IndexError):
        # Only a tag that was written can disagree with its text: `!!int five`.
        raise ScalarError(f"'{node.value}' is no {read_as}") from None


def misread(scalar: Scalar) -> str | None:
    """Why a number is surely not what its writer meant, or None."""
    if scalar.read_as in ("int", "float") and ":" in scalar.text:
        return f"{scalar.text} was read as the number {scalar.value} (YAML 1.1 counts in sixties)"
    if scalar.read_as == "int" and _OCTAL.fullmatch(scalar.text):
        return f"{scalar.text} was read as the number {scalar.value} (YAML 1.1 reads it as octal)"
    return None


def odd_boolean(scalar: Scalar) -> bool:
    """Whether a boolean was written as a word that newer YAML takes for a text."""
    return scalar.read_as == "bool" and scalar.text.lower() not in _TRUTHS


def described(value: Value, scalar: Scalar | None) -> str:
    """What was read, with the rule of YAML behind it where that may surprise."""
    match value:
        case dict():
            return "a mapping"
        case list():
            return "a list"
        case None:
            return "nothing"
        case bool():
            said = f"the boolean {str(value).lower()}"
            odd = scalar is not None and odd_boolean(scalar)
            return f"{said} (YAML 1.1 reads a plain {scalar.text} so)" if odd and scalar else said
        case int() | float():
            return f"the number {scalar.text if scalar else value}"
        case str():
            said = f"the text '{value}'"
            plain = scalar is not None and not scalar.quoted
            if plain and _EXPONENT.fullmatch(value):
                return f"{said} (YAML 1.1 wants 1.0e+3 for an exponent)"
            return said


def rewritten(value: Value, scalar: Scalar | None, wanted: str) -> str | None:
    """How to write a value so that it is read as a text, integer or boolean, where it can be."""
    if scalar is None:
        return None
    match wanted, value:
        case "text", bool() | int() | float():
            return f'write "{scalar.text}" in quotes to mean the text'
        case "integer", str() if _EXPONENT.fullmatch(value) and float(value).is_integer():
            return f"write {int(float(value))}"
        case "integer", str() if value.isascii() and value.isdigit():
            return f"write {value} without quotes"
        case "boolean", str() if value.lower() in (*_TRUTHS, "yes", "no", "on", "off"):
            return f"write {'true' if value.lower() in ('true', 'yes', 'on') else 'false'}"
        case _:
            return None
