"""NVIDIA's error numbers: how they are written, and which of them an application makes.

With those the card is still sound.
"""

import re

APPLICATION_XIDS = frozenset({13, 31, 43, 45, 68, 109})
"""Graphics engine exception, memory page fault, GPU stopped processing, preemptive cleanup, video
processor exception, context switch timeout: those that the device plugin itself leaves out of its
health check. Sources: https://docs.nvidia.com/deploy/xid-errors/ ; NVIDIA/k8s-device-plugin,
internal/rm/health.go (v0.17)."""

# The kernel's line: NVRM: Xid (PCI:0000:3b:00): 79, pid=912, GPU has fallen off the bus.
# The plugin's: XidCriticalError: Xid=79 on Device=GPU-1
_XID = re.compile(r"\bXid\b\W{0,3}(?:error\W{1,3})?(?:PCI:[^)]*\)\W{0,3})?(\d+)", re.IGNORECASE)


def xids_in(text: str) -> tuple[int, ...]:
    """All Xid numbers in a text, in order, each once."""
    return tuple(sorted({int(number) for number in _XID.findall(text)}))


def is_applications(text: str) -> bool | None:
    """Whether every Xid that a text gives is an application's error; None where it gives none."""
    found = xids_in(text)
    return set(found) <= APPLICATION_XIDS if found else None
