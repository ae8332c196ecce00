"""Version skew between API server and kubelets."""

import re

_MINOR = re.compile(r"v?1\.(\d+)")
OLDEST = 3
"""A kubelet may be three minor versions older than the API server since 1.28, never newer.

Source: https://kubernetes.io/releases/version-skew-policy/
"""


def skew(server: str, kubelet: str) -> str:
    """What the policy says of this pair: ``same``, ``supported``, a breach, or ``unknown``."""
    ours, theirs = _MINOR.match(server), _MINOR.match(kubelet)
    if not ours or not theirs:
        return "unknown"
    behind = int(ours[1]) - int(theirs[1])
    if behind < 0:
        return "unsupported: newer than the API server"
    if behind > OLDEST:
        return f"unsupported: {behind} minor versions behind the API server"
    return "supported" if behind else "same"
