"""NVIDIA's error numbers: which of them an application makes, so that the card is still sound."""

import re

APPLICATION_XIDS = frozenset({13, 31, 43, 45, 68, 109})
"""Graphics engine exception, memory page fault, GPU stopped processing, preemptive cleanup, video
processor exception, context switch timeout: those that the device plugin itself leaves out of its
health check. Sources: https://docs.nvidia.com/deploy/xid-errors/ ; NVIDIA/k8s-device-plugin,
internal/rm/health.go (ignoredXids)."""

_XID = re.compile(r"\bXid\D{0,12}(\d+)", re.IGNORECASE)


def xid_class(said: str) -> tuple[bool | None, str]:
    """Whether all Xids in a text are applications' errors, and why; None where it names none."""
    found = sorted({int(number) for number in _XID.findall(said)})
    if not found:
        return None, "no Xid number is quoted"
    hard = [number for number in found if number not in APPLICATION_XIDS]
    named = ", ".join(str(number) for number in hard or found)
    if hard:
        return False, f"Xid {named} is not known to be an application's error"
    return True, f"Xid {named} is an application's error"
