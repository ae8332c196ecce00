"""Several nodes' decisions as one, so that what is due together is written together."""

from bridgehead.core.rollout.decision import Decision


def merged(*decisions: Decision) -> Decision:
    """All notes and commands; the first ending; the first thing that is awaited."""
    return Decision(
        notes=tuple(item for decision in decisions for item in decision.notes),
        commands=tuple(item for decision in decisions for item in decision.commands),
        ending=next((item.ending for item in decisions if item.ending), None),
        waiting_for=next((item.waiting_for for item in decisions if item.waiting_for), ""),
    )
