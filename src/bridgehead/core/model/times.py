"""Times as API objects carry them."""

from datetime import datetime


def epoch(written: str) -> float | None:
    """Seconds since the epoch of an RFC 3339 time; None for another text or without a zone."""
    try:
        time = datetime.fromisoformat(written)
    except ValueError:
        return None
    return time.timestamp() if time.tzinfo is not None else None
