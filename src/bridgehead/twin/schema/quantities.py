"""Resource amounts as the API server reads and writes them.

Source: k8s.io/apimachinery/pkg/api/resource/quantity.go (1.37).
"""

import re
from decimal import ROUND_CEILING, Decimal
from functools import lru_cache
from typing import Any

PATTERN = re.compile(r"^([+-]?(?:\d+(?:\.\d*)?|\.\d+))([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$")
"""A number with an exponent, a decimal or a binary suffix."""

_REMEMBERED = 4096
"""Amounts that are not worked out again: a cluster knows few of them, and asks often."""

MESSAGE = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
"""How the server refuses one."""

_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


_MOST = Decimal((1 << 63) - 1)
"""What is more than this, is this. Source: ``maxAllowed``."""
_MOST_DIGITS = 1000
"""Digits after the point at which nothing is left of a number."""


class QuantityError(ValueError):
    """A text that is no amount."""


@lru_cache(maxsize=_REMEMBERED)
def value_of(amount: Any) -> Decimal:
    """The number that an amount stands for. Raises QuantityError."""
    match = PATTERN.match(str(amount))
    if match is None:
        raise QuantityError(MESSAGE)
    number, suffix = Decimal(match[1]), match[2] or ""
    if suffix in _BINARY:
        return _capped(number * (1 << _BINARY[suffix]))
    power = _DECIMAL[suffix] if suffix in _DECIMAL else int(suffix[1:])
    if not number:
        return Decimal(0)
    if number.adjusted() + power > _MOST.adjusted():
        return _MOST.copy_sign(number)
    return _capped(number.scaleb(max(power, -_MOST_DIGITS)))


def _capped(number: Decimal) -> Decimal:
    return min(max(number, -_MOST), _MOST)


@lru_cache(maxsize=_REMEMBERED)
def canonical(amount: Any) -> str:
    """The shortest text without a fraction, in the family of suffixes that it came in."""
    match = PATTERN.match(str(amount))
    if match is None:
        return str(amount)
    suffix = match[2] or ""
    number = value_of(amount)
    if suffix in _BINARY and number == number.to_integral_value() and abs(number) >= 1024:
        whole, power = int(number), 0
        while whole and whole % 1024 == 0 and power < 6:
            whole, power = whole // 1024, power + 1
        return f"{whole}{['', *_BINARY][power]}"
    return _decimal_text(number, exponent=bool(suffix) and suffix[0] in "eE" and len(suffix) > 1)


def _decimal_text(number: Decimal, *, exponent: bool) -> str:
    number = number.quantize(Decimal("1e-9"), rounding=ROUND_CEILING)
    if not number:
        return "0"
    scaled, power = int(number.scaleb(9)), -9
    while scaled % 1000 == 0 and power < 18:
        scaled, power = scaled // 1000, power + 3
    suffix = {value: key for key, value in _DECIMAL.items()}[power]
    if exponent:
        return f"{scaled}e{power}" if power else str(scaled)
    return f"{scaled}{suffix}"


@lru_cache(maxsize=_REMEMBERED)
def rounded_up(amount: Any) -> str:
    """In the canonical form, and to whole thousandths."""
    if PATTERN.match(str(amount)) is None:
        return str(amount)
    number = value_of(amount)
    thousandths = number.scaleb(3)
    if thousandths == thousandths.to_integral_value():
        return canonical(amount)
    return canonical(f"{int(thousandths.to_integral_value(ROUND_CEILING))}m")
