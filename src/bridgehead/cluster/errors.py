"""Why a runner must stop: someone else holds or wrote what is its own, or a record is not readable.

ClusterError
|- HeldError            the component's lock belongs to a live runner (exit 7)
|- LostLockError        somebody else has our lock; nothing may be written any more (exit 7)
|- StaleLockError       our renewals are late; nothing may be written until one succeeds
|- ClaimedError         the component carries the anchor of another run or holder (exit 7)
|  `- ChangedMeanwhileError  somebody changes the component while a run begins (exit 7)
|- LostJournalError     another holder has written to the run's journal (exit 7)
|- RemovedJournalError  somebody has deleted the run's journal: nothing can be recorded any more
|- RunExistsError       a run of this name is recorded already
|- NoSuchRunError       there is no record of a run of this name
|- UnreadableRunError   the record is of a schema that this version does not know, or damaged
`- BrokenJournalError   the journal's chain does not hold; nothing is appended to it
"""


class ClusterError(Exception):
    """Base of all errors of this package; what the API server says is in ``kube.errors``."""


class HeldError(ClusterError):
    """Another runner holds the component; ``since`` is RFC 3339 as it wrote it, or empty."""

    def __init__(self, component: str, holder: str, since: str) -> None:
        when = f" since {since}" if since else ""
        super().__init__(f"{component} is held by {holder}{when}")
        self.component = component
        self.holder = holder
        self.since = since


class LostLockError(ClusterError):
    """The lock is somebody else's, or nobody's: no further effect may be sent."""


class StaleLockError(ClusterError):
    """The lock was not renewed for so long that it may be somebody else's; a renewal tells."""


class ClaimedError(ClusterError):
    """The component's anchor names another run, or a later holder of this one."""

    def __init__(self, component: str, anchor: str) -> None:
        super().__init__(f"{component} belongs to run {anchor}")
        self.component = component
        self.anchor = anchor


class ChangedMeanwhileError(ClaimedError):
    """The component was changed twice between its plan and the first write."""

    def __init__(self, component: str) -> None:
        super().__init__(component, "")
        self.args = (
            f"{component} was changed between the plan and the first write, and again after "
            "another plan; nothing was changed by this run: find out who writes it, "
            "kubectl get --show-managed-fields, then the same command again",
        )


class LostJournalError(ClusterError):
    """Another holder has written to the run's journal: this runner is no longer the one."""


class RemovedJournalError(ClusterError):
    """The segment that the next record belongs to is not there any more: nobody can go on."""


class RunExistsError(ClusterError):
    """The name of a new run is taken."""


class NoSuchRunError(ClusterError):
    """No run of that name is recorded in the state namespace."""


class UnreadableRunError(ClusterError):
    """The record cannot be understood by this version of bridgehead."""


class BrokenJournalError(ClusterError):
    """Records are missing or were changed."""
