"""Kubernetes quantities of memory."""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

# https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
_SUFFIXES: Mapping[str, int | Decimal] = {
    "Ki": 2**10,
    "Mi": 2**20,
    "Gi": 2**30,
    "Ti": 2**40,
    "k": 10**3,
    "M": 10**6,
    "G": 10**9,
    "T": 10**12,
    "m": Decimal("0.001"),
}


def memory_bytes(quantity: object) -> int | None:
    """Bytes, rounded down; None where it is no quantity that memory is written in."""
    written = str(quantity)
    suffix = next((item for item in _SUFFIXES if written.endswith(item)), "")
    number = written[: len(written) - len(suffix)]
    try:
        value = Decimal(number) * _SUFFIXES.get(suffix, 1)
    except InvalidOperation:
        return None
    return int(value) if value.is_finite() else None
