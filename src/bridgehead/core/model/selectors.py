"""Label selectors in kubectl's notation, such as ``a=b,c!=d,e in (x,y),!f``.

The plan chooses nodes with them, so they must mean exactly what ``kubectl get nodes -l`` means; the
grammar and the meaning of each operator are those of k8s.io/apimachinery/pkg/labels (Kubernetes
1.37). The one difference: ``<`` and ``>`` are refused, because node labels that hold numbers are
rare and kubectl's reading of a label that is no number is silent.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum

import msgspec

# The form of keys and values: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_PREFIX = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)
_TOKEN = re.compile(r"\s*(?:(?P<op>!=|==|=|!|,|\(|\)|<|>)|(?P<word>[^\s=!,()<>]+)|(?P<end>\Z))")
# Operators, so no keys: kubectl refuses `in=x` too.
_WORDS = ("in", "notin")


class SelectorError(ValueError):
    """A selector that cannot be read: ``offset`` is the place in the text, 0-based."""

    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


class Operator(Enum):
    """What a requirement asks of a label."""

    IN = "in"
    NOT_IN = "notin"
    EXISTS = "exists"
    ABSENT = "absent"


class Requirement(msgspec.Struct, frozen=True):
    """One condition on one label; ``values`` is sorted, and empty for EXISTS and ABSENT."""

    key: str
    operator: Operator
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels meet it; ``!=`` and ``notin`` accept a missing label, like kubectl."""
        match self.operator:
            case Operator.IN:
                return self.key in labels and labels[self.key] in self.values
            case Operator.NOT_IN:
                return self.key not in labels or labels[self.key] not in self.values
            case Operator.EXISTS:
                return self.key in labels
            case Operator.ABSENT:
                return self.key not in labels

    def __str__(self) -> str:
        match self.operator:
            case Operator.EXISTS:
                return self.key
            case Operator.ABSENT:
                return f"!{self.key}"
            case Operator.IN if len(self.values) == 1:
                return f"{self.key}={self.values[0]}"
            case Operator.NOT_IN if len(self.values) == 1:
                return f"{self.key}!={self.values[0]}"
            case _:
                return f"{self.key} {self.operator.value} ({','.join(self.values)})"


class Selector(msgspec.Struct, frozen=True):
    """All requirements must be met; without any, every set of labels matches."""

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether an object with these labels is selected."""
        return all(requirement.matches(labels) for requirement in self.requirements)

    def __str__(self) -> str:
        return ",".join(map(str, self.requirements))


EVERYTHING = Selector()


def parse_selector(text: str) -> Selector:
    """Read a selector; raises SelectorError with the place of the first mistake.

    An empty text selects everything, as an empty ``-l`` does for kubectl.
    """
    tokens = _Tokens(text)
    if tokens.ended():
        return EVERYTHING
    requirements = [_requirement(tokens)]
    while not tokens.ended():
        tokens.expect(",")
        requirements.append(_requirement(tokens))
    return Selector(tuple(requirements))


class _Tokens:
    """The words and operators of one selector, with the place of the next one."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_split(text))
        self._next = 0

    @property
    def current(self) -> str:
        return self._tokens[self._next][0]

    @property
    def offset(self) -> int:
        return self._tokens[self._next][1]

    def ended(self) -> bool:
        return not self.current

    def take(self) -> str:
        token = self.current
        if token:
            self._next += 1
        return token

    def expect(self, wanted: str) -> None:
        if self.current != wanted:
            raise SelectorError(f"expected '{wanted}' before {_shown(self.current)}", self.offset)
        self.take()


def _split(text: str) -> Iterator[tuple[str, int]]:
    position = 0
    while True:
        token = _TOKEN.match(text, position)
        # Every character belongs to one of the three groups, so there is always a match.
        assert token is not None
        group = token.lastgroup or "end"
        yield token[group], token.start(group)
        if group == "end":
            return
        position = token.end()


def _shown(token: str) -> str:
    return f"'{token}'" if token else "the end"


def _requirement(tokens: _Tokens) -> Requirement:
    if tokens.current == "!":
        tokens.take()
        return Requirement(_key(tokens), Operator.ABSENT)
    key = _key(tokens)
    match tokens.current:
        case "" | ",":
            return Requirement(key, Operator.EXISTS)
        case "=" | "==":
            tokens.take()
            return Requirement(key, Operator.IN, (_value(tokens),))
        case "!=":
            tokens.take()
            return Requirement(key, Operator.NOT_IN, (_value(tokens),))
        case "in":
            tokens.take()
            return Requirement(key, Operator.IN, _values(tokens))
        case "notin":
            tokens.take()
            return Requirement(key, Operator.NOT_IN, _values(tokens))
        case "<" | ">":
            raise SelectorError("'<' and '>' are not supported; use in (...)", tokens.offset)
        case other:
            raise SelectorError(
                f"expected one of = != in notin after '{key}', not '{other}'", tokens.offset
            )


def _key(tokens: _Tokens) -> str:
    offset, key = tokens.offset, tokens.current
    prefix, slash, name = key.rpartition("/")
    valid = key not in _WORDS and _NAME.fullmatch(name) and (not slash or _PREFIX.fullmatch(prefix))
    if not valid:
        raise SelectorError(f"expected a label key, found {_shown(key)}", offset)
    return tokens.take()


def _value(tokens: _Tokens) -> str:
    """A label's value; an empty one is a value too (``a=`` or ``a in (,x)``)."""
    if tokens.current in ("", ",", ")"):
        return ""
    if not _NAME.fullmatch(tokens.current):
        raise SelectorError(f"{_shown(tokens.current)} is no label value", tokens.offset)
    return tokens.take()


def _values(tokens: _Tokens) -> tuple[str, ...]:
    tokens.expect("(")
    values = {_value(tokens)}
    while tokens.current == ",":
        tokens.take()
        values.add(_value(tokens))
    tokens.expect(")")
    return tuple(sorted(values))
