"""R2: back to the last good revision, by the run that brought the bad one."""

from bridgehead.core.diagnose.cause import RollbackHelps
from bridgehead.core.recover.assessment import Assessment, diagnosed
from bridgehead.core.recover.precondition import Precondition, judged
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation


def rolling_back(situation: Situation) -> Assessment:
    """R2 in this situation: the same way back that ``bridgehead rollback`` takes."""
    way = situation.way_back
    former = way.former if way else "the former revision"
    return Assessment(
        rung=Rung.ROLL_BACK,
        preconditions=(
            diagnosed(situation, Rung.ROLL_BACK),
            _held(situation),
            _proven(situation),
            _helps(situation),
        ),
        would=(
            f"take the run back: {former} stands again, and the nodes that it touched come back on "
            "it, failing ones first, each through all gates",
            "hold the failed change, so that nothing promotes it again",
        ),
        would_not=("touch nodes that the run did not change",),
    )


def _held(situation: Situation) -> Precondition:
    what = "a run has failed and keeps the component"
    way = situation.way_back
    if way is None and situation.unrecorded:
        return judged(what, None, f"what runs there are is not known: {situation.unrecorded}")
    if way is None:
        ref = situation.plugin.component.ref
        return judged(
            what, False, f"{ref} has no open run; after a finished one: bridgehead rollback {ref}"
        )
    said = "has stopped on a failure" if way.held else "goes on, and has not failed"
    return judged(what, way.held, f"run {way.run} {said}")


def _proven(situation: Situation) -> Precondition:
    what = "the former revision is proven to start on this node or its cohort"
    way = situation.way_back
    if way is None:
        return judged(what, None, "without a run no former revision is known")
    return judged(what, way.proven, way.evidence)


def _helps(situation: Situation) -> Precondition:
    what = "a rollback can repair the cause"
    useless = [item for item in situation.faults if item.rollback_helps is RollbackHelps.NO]
    if useless:
        return judged(what, False, f"rollback will not help: {useless[0].rule}")
    return judged(what, True, "no cause on this node says that it cannot")
