"""What a run found out about a component by trying it; no object of the cluster tells that."""

from collections.abc import Mapping

import msgspec

_AT_ONCE = "log"
"""The gate that waits for nothing."""


class RunVerdicts(msgspec.Struct, frozen=True, kw_only=True):
    """Of a run of ours that changed one component (``daemonset/NAMESPACE/NAME``), by node.

    ``failed``: the gate that its pod there failed. ``former_back``: nodes where the former version
    was started anew and all devices came back, before the change or after it.
    """

    component: str = ""
    failed: Mapping[str, str] = {}
    former_back: frozenset[str] = frozenset()

    def gate(self, component: str, node: str) -> str:
        """The gate that the component failed on the node; empty where it did not fail."""
        return self.failed.get(node, "") if component == self.component else ""

    def waited(self, node: str) -> bool:
        """Whether that gate gave the node the time that it needs to start.

        The gate on logs does not: a line is enough for it.
        """
        return self.failed.get(node, _AT_ONCE) != _AT_ONCE
