"""What is recorded of a component: its last run, the run that keeps it, and earlier recoveries."""

from collections.abc import Awaitable
from typing import TypeVar

import msgspec

from bridgehead.app.expectation import LastRun, last_run
from bridgehead.app.open_run import Orphaned
from bridgehead.app.session import Session
from bridgehead.app.subject import OpenRun, find
from bridgehead.cluster.errors import BrokenJournalError, NoSuchRunError, UnreadableRunError
from bridgehead.cluster.recoveries import Recoveries
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.recover.past import Past
from bridgehead.core.rollout.transition import UnknownRecordError
from bridgehead.kube.errors import Forbidden
from bridgehead.kube.resources import CONFIG_MAPS

T = TypeVar("T")


class Records(msgspec.Struct, frozen=True, kw_only=True):
    """As far as they may be read; what is in ``unread`` is not known, and not absent."""

    last: LastRun | None = None
    keeps: OpenRun | None = None
    mark: str = ""
    """The component's mark of a run that has no record; nobody can go on with that one."""
    past: tuple[Past, ...] = ()
    unread: Unread | None = None


async def read_records(session: Session, ref: ComponentRef) -> Records:
    """All of them. Raises KubeError, and what reading a run or its journal raises."""
    missing: list[Unread] = []
    last = await _as_far_as_allowed(_last(session, ref), missing)
    kept = await _as_far_as_allowed(_keeps(session, ref), missing)
    journal = Recoveries(session.kube, session.state_namespace, ref)
    past = await _as_far_as_allowed(journal.past(), missing)
    return Records(
        last=last,
        keeps=kept if isinstance(kept, OpenRun) else None,
        mark=kept.anchor if isinstance(kept, Orphaned) else "",
        past=past or (),
        unread=missing[0] if missing else None,
    )


async def _as_far_as_allowed(reading: Awaitable[T], missing: list[Unread]) -> T | None:
    """What was read; None where records may not be. Raises Forbidden for anything else."""
    try:
        return await reading
    except Forbidden as error:
        if error.resource != CONFIG_MAPS.plural:
            raise
        where = f" in namespace {error.namespace}" if error.namespace else ""
        what = f"runs and recoveries recorded{where}"
        missing.append(Unread(what, error.message, granting(error)))
        return None


def granting(error: Forbidden) -> str:
    """The right that is missing, as verb, resource and place."""
    resource = f"{error.resource}.{error.group}" if error.group else error.resource
    where = f" in namespace {error.namespace}" if error.namespace else ""
    return f"{error.verb} {resource}{where}" if error.verb and resource else str(error.request)


async def _last(session: Session, ref: ComponentRef) -> LastRun | None:
    """The newest run, where it can be read: what it knew is a help, no condition."""
    try:
        return await last_run(session, ref)
    except (NoSuchRunError, UnreadableRunError, BrokenJournalError, UnknownRecordError):
        return None


async def _keeps(session: Session, ref: ComponentRef) -> OpenRun | Orphaned | None:
    try:
        found = await find(session, ref)
    except NoSuchRunError:
        return None
    return found if isinstance(found, OpenRun | Orphaned) else None
