"""What the API server said about an account's rights, where it was asked."""

from collections.abc import Mapping

from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.json import child, text


def answers_about(observed: Observed, account: str) -> Mapping[tuple[str, str], bool]:
    """Whether the account (``NAMESPACE/NAME``) is allowed it, by verb and resource."""
    found = {}
    for item in observed.of_kind("AccessAnswer"):
        allowed = child(item, "status", "allowed")
        if text(item, "status", "account") == account and isinstance(allowed, bool):
            found[text(item, "status", "verb"), text(item, "status", "resource")] = allowed
    return found
