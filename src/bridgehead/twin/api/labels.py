"""Label selectors, with the API server's own words for those that it cannot read.

Source: k8s.io/apimachinery/pkg/labels/selector.go (1.37).
"""

import re
from collections.abc import Iterator, Mapping

import msgspec

from bridgehead.twin.errors import ApiError, bad_request

_TOKEN = re.compile(r"[ \t\r\n]*(?:(==|!=|[=!(),<>])|([^ \t\r\n=!(),<>]+))")
_OPERATORS = {"=": "in", "==": "in", "!=": "notin", ">": "gt", "<": "lt"}
_EXPECTED = "in, notin, =, ==, !=, gt, lt"
_NAME = re.compile(r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]")
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME_FORM = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_VALUE_FORM = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',"
    "  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_PREFIX_FORM = (
    "prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric "
    "characters, '-' or '.', and must start and end with an alphanumeric character (e.g. "
    "'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)


class Requirement(msgspec.Struct, frozen=True):
    """One condition: ``operator`` is one of in, notin, exists, !, gt, lt."""

    key: str
    operator: str
    values: frozenset[str] = frozenset()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether labels meet it; a missing label meets ``!=`` and ``notin``."""
        value = labels.get(self.key)
        match self.operator:
            case "in":
                return value is not None and value in self.values
            case "notin":
                return value is None or value not in self.values
            case "exists":
                return value is not None
            case "!":
                return value is None
        if value is None or not re.fullmatch(r"[+-]?\d+", value):
            return False
        (bound,) = self.values
        return int(value) > int(bound) if self.operator == "gt" else int(value) < int(bound)


class _Tokens:
    """The tokens of a selector; the empty one is its end."""

    def __init__(self, text: str) -> None:
        self._tokens = [*_split(text), ""]
        self._next = 0

    def peek(self) -> str:
        return self._tokens[self._next]

    def take(self) -> str:
        token = self._tokens[self._next]
        self._next = min(self._next + 1, len(self._tokens) - 1)
        return token


def _split(text: str) -> Iterator[str]:
    position = 0
    while match := _TOKEN.match(text, position):
        position = match.end()
        yield match[1] or match[2]


def parse_labels(text: str) -> tuple[Requirement, ...]:
    """The conditions of a selector, all of which must be met. Raises ApiError 400."""
    tokens = _Tokens(text)
    found: list[Requirement] = []
    while word := tokens.peek():
        if not _is_word(word) and word != "!":
            raise bad_request(f"found '{word}', expected: !, identifier, or 'end of string'")
        found.append(_requirement(tokens))
        if not (word := tokens.take()):
            break
        if word != ",":
            raise bad_request(f"found '{word}', expected: ',' or 'end of string'")
        following = tokens.peek()
        if not _is_word(following) and following != "!":
            raise bad_request(f"found '{following}', expected: identifier after ','")
    return tuple(found)


def _requirement(tokens: _Tokens) -> Requirement:
    absent = tokens.peek() == "!"
    if absent:
        tokens.take()
    key = tokens.take()
    if not _is_word(key):
        raise _unreadable(f"found '{key}', expected: identifier")
    if complaints := key_complaints(key):
        raise _unreadable(f'<nil>: Invalid value: "{key}": {"; ".join(complaints)}')
    if absent:
        return Requirement(key, "!")
    if tokens.peek() in {"", ","}:
        return Requirement(key, "exists")
    operator = tokens.take()
    if operator in {"in", "notin"}:
        values = frozenset(_values(tokens))
    elif operator in _OPERATORS:
        values = frozenset({_value(tokens)})
    else:
        raise _unreadable(f"found '{operator}', expected: {_EXPECTED}")
    operator = _OPERATORS.get(operator, operator)
    for place, value in enumerate(sorted(values)):
        if operator in {"gt", "lt"} and not re.fullmatch(r"[+-]?\d+", value):
            raise _unreadable(
                f'values[{place}]: Invalid value: "{value}": '
                "for 'Gt', 'Lt' operators, the value must be an integer"
            )
        if complaints := value_complaints(value):
            told = "; ".join(complaints)
            raise _unreadable(f'values[{place}][{key}]: Invalid value: "{value}": {told}')
    return Requirement(key, operator, values)


def _value(tokens: _Tokens) -> str:
    if tokens.peek() in {"", ","}:
        return ""
    word = tokens.take()
    if not _is_word(word):
        raise _unreadable(f"found '{word}', expected: identifier")
    return word


def _values(tokens: _Tokens) -> Iterator[str]:
    if (word := tokens.take()) != "(":
        raise _unreadable(f"found '{word}' expected: '('")
    first = tokens.peek()
    if first not in {")", ","} and not _is_word(first):
        raise _unreadable(f"found '{first}', expected: ',', ')' or identifier")
    while True:
        yield tokens.take() if _is_word(tokens.peek()) else ""
        match tokens.take():
            case ")":
                return
            case ",":
                continue
            case other:
                raise _unreadable(f"found '{other}', expected: ',' or ')'")


def _is_word(word: str) -> bool:
    return bool(word) and word[0] not in "=!(),<>"


def _unreadable(why: str) -> ApiError:
    return bad_request(f"unable to parse requirement: {why}")


def key_complaints(key: str) -> list[str]:
    """What is wrong with a label's key (k8s.io/apimachinery IsQualifiedName)."""
    prefix, slash, name = key.rpartition("/")
    complaints: list[str] = []
    if slash and not prefix:
        complaints.append("prefix part must be non-empty")
    elif slash and not (_SUBDOMAIN.fullmatch(prefix) and len(prefix) <= 253):
        complaints.append(_PREFIX_FORM)
    if not name:
        complaints.append("name part must be non-empty")
    elif len(name) > 63:
        complaints.append("name part must be no more than 63 bytes")
    if not _NAME.fullmatch(name):
        complaints.append(f"name part {_NAME_FORM}")
    return complaints


def value_complaints(value: str) -> list[str]:
    """What is wrong with a label's value (k8s.io/apimachinery IsValidLabelValue)."""
    complaints: list[str] = []
    if len(value) > 63:
        complaints.append("must be no more than 63 bytes")
    if value and not _NAME.fullmatch(value):
        complaints.append(_VALUE_FORM)
    return complaints
