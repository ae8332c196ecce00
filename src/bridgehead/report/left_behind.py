"""What a runner leaves behind that stops in the middle: which template stands, which nodes wait."""

from bridgehead.core.rollout.kept import maybe_cordoned
from bridgehead.core.rollout.run import Run


def left_behind(run: Run) -> str:
    """The template that stands and the nodes that stay cordoned, as far as the journal knows."""
    stands = (
        "the former template stands"
        if run.parked
        else "the NEW template stands: newcomers get the new version"
    )
    names = maybe_cordoned(run)
    if not names:
        return f"{stands}; no node is cordoned"
    return f"{stands}; still cordoned until somebody goes on: {', '.join(names)}"
