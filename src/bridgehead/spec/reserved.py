"""Keys and values that the format has set aside and this version cannot do yet.

They are refused by name: a key that is ignored would let a rollout run with less care than its
writer asked for.
"""

from bridgehead.spec.document import Path

# Keys by the mapping in which they stand.
RESERVED_KEYS: dict[Path, tuple[str, ...]] = {
    (): ("companions", "targets"),
    ("component",): ("gpuOperator", "workload"),
    ("change",): ("helm", "driver", "operands", "adopt", "install", "remove"),
    ("verify",): ("metrics", "command"),
    ("onFailure",): ("command", "wait"),
}

RESERVED_VALUES: dict[Path, tuple[str, ...]] = {
    ("kind",): ("NodeProfile", "Scenario"),
}

# Mappings of which exactly one key is written.
EXACTLY_ONE: dict[Path, tuple[str, ...]] = {
    ("component",): ("daemonSet", *RESERVED_KEYS["component",]),
    ("change",): ("images", "manifests", *RESERVED_KEYS["change",]),
}


def not_yet(what: str) -> str:
    """The message for a reserved key or value."""
    return f"not yet: {what} is reserved and this version cannot do it"
