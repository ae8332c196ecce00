"""A change that failed and was taken back is held: the next run shall not try it again."""

from bridgehead.app.session import Session
from bridgehead.cluster.store import RunStore
from bridgehead.core.plan.build import change_digest
from bridgehead.core.plan.plan import Refusal
from bridgehead.core.plan.settings import RolloutSpec
from bridgehead.core.rollout.state import Mode
from bridgehead.core.rollout.transition import fold


async def held_change(session: Session, spec: RolloutSpec) -> Refusal | None:
    """Why this change is held; None where it never failed, or has passed since.

    The newest run of the same change decides. One that a person took back without a failure, or
    that was refused before it began, holds nothing.
    """
    store = RunStore(session.kube, session.state_namespace)
    wanted = change_digest(spec)
    runs = [item for item in await store.list_runs(spec.component) if item.change_digest == wanted]
    if not runs:
        return None
    newest = runs[-1]
    state = fold(await store.entries(newest.run))
    if state.mode is not Mode.ENDED or state.refused or state.failure is None:
        return None
    if state.ending is None or state.ending.exit == 0:
        return None
    failure = state.failure
    return Refusal(
        "change-held",
        f"this change failed in run {newest.run} on {failure.node} "
        f"(gate {failure.gate.value}: {failure.reason})",
        f"mend what failed, see: bridgehead journal {newest.run}; or insist with --retry-held",
        str(spec.component),
    )
