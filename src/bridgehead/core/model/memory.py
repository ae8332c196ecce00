"""Kubernetes quantities of memory."""

from bridgehead.core.model.quantity import amount


def memory_bytes(quantity: object) -> int | None:
    """Bytes, rounded down; None where it is no quantity."""
    found = amount(str(quantity))
    return None if found is None else int(found)
