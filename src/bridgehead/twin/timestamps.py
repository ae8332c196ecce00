"""Times as the API writes them, RFC 3339, to and from seconds since the epoch."""

from datetime import UTC, datetime


def written(moment: float) -> str:
    """As ``metav1.Time``: in whole seconds."""
    return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_of(stamp: str) -> float:
    """Seconds since the epoch; a time without a zone is one of UTC. Raises ValueError."""
    moment = datetime.fromisoformat(stamp)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
