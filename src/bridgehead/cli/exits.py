"""Exit codes: what a pipeline learns without reading a line."""

from enum import IntEnum


class Exit(IntEnum):
    """The one table of exit codes; the reference page prints it."""

    DONE = 0
    """Done, or nothing to complain about; an abort that brought everything back."""
    FINDINGS = 1
    """Findings, a plan that refuses (nothing changed), a failed verification, drift."""
    USAGE = 2
    """Wrong usage, or a file that cannot be read: every problem with its place."""
    ROLLED_BACK = 3
    """The change failed or was aborted, and the cluster is back where it was, verified."""
    NEEDS_A_PERSON = 4
    """Stopped, and a person must look: what, where, and the commands to go on or back."""
    WAITING = 5
    """Waiting for approval, window, pause or time; the same command goes on later."""
    CANNOT = 6
    """Could not start or had to stop: no connection, or a permission is missing."""
    LOCKED = 7
    """Another run holds this component."""
    INCOMPLETE = 8
    """Found nothing, but not everything needed could be read."""
    INTERRUPTED = 130
    """Interrupted (SIGINT); state is safe, the same command goes on."""
    TERMINATED = 143
    """Terminated (SIGTERM); state is safe, the same command goes on."""
