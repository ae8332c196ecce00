"""What bounds one runner, and not the run: given on its command line, never journalled."""

from collections.abc import Mapping
from datetime import tzinfo

import msgspec


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How long a runner may begin nodes, whether it stays where the run waits, and who runs it."""

    until: float | None = None
    """Seconds since the epoch by which the last node must be done; None: no such limit."""
    waits: bool = False
    """Whether it stays at an approval, a pause or a closed window, or leaves with exit 5."""
    identity: str = ""
    """Whom the API server takes this runner for; empty where that is not known."""
    zones: Mapping[str, tzinfo] = {}
    """The rules of the time zones that the plan's windows name: to look them up is not the core's.

    A window whose zone is missing here is taken as closed.
    """
