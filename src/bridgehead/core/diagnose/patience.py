"""How long things may take before they count as wrong."""

PATIENCE = 60.0
"""Seconds that a pod may take to start, and a node to show its devices after that. So long after
the start of a kubelet no value of its node is a verdict (kubernetes#114422)."""

UPDATING = 600.0
"""Seconds without a step after which a rolling update no longer counts as under way."""

LATELY = 3600.0
"""Seconds after which a pod that ended is history: events are kept as long by default."""
