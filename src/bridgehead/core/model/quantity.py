"""Amounts of processors and memory as API objects write them: ``500m``, ``64Gi``, ``1k``."""

import re
from decimal import Decimal

_AMOUNT = re.compile(
    r"(?P<number>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?P<unit>[numkMGTPE]|[KMGTPE]i|[eE][-+]?[0-9]{1,3})?"
)
_DECIMAL = {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


def amount(written: str) -> Decimal | None:
    """The number that an amount stands for; None for another text.

    Source: https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
    """
    parts = _AMOUNT.fullmatch(written.strip())
    if parts is None:
        return None
    number, unit = Decimal(parts["number"]), parts["unit"] or ""
    if unit in _BINARY:
        return number * (1 << _BINARY[unit])
    if unit in _DECIMAL:
        return number.scaleb(_DECIMAL[unit])
    return number.scaleb(int(unit[1:])) if unit else number
