"""The use case ``rollout``: begin a run or go on with it, to an ending."""

from datetime import UTC, datetime

import msgspec

from bridgehead.app.held_change import held_change
from bridgehead.app.open_run import Orphaned, open_run
from bridgehead.app.planning import Planned, plan_live
from bridgehead.app.runner import Ended, Session, drive
from bridgehead.cluster.access import Missing, missing_permissions
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.lock import ComponentLock, Lock, holder_name
from bridgehead.cluster.read import read_component, read_holder
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.build import change_digest
from bridgehead.core.plan.plan import Plan, Refused, Unneeded
from bridgehead.core.plan.settings import ComponentRef, RolloutSpec
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import RunState
from bridgehead.core.rollout.transition import fold


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """What a person may insist on beside the spec."""

    detach: bool = False
    """Change objects that Helm, GitOps or an operator owns."""
    retry_held: bool = False
    """Try a change again that failed before."""


class NotAllowed(msgspec.Struct, frozen=True):
    """Permissions are missing; nothing was changed (exit 6)."""

    missing: tuple[Missing, ...]
    user: str


class Busy(msgspec.Struct, frozen=True):
    """Another run holds the component; nothing was changed (exit 7)."""

    run: str
    why: str


RolloutResult = Ended | Planned | NotAllowed | Busy | Orphaned
"""``Planned`` where it ended with the plan: refused, nothing to do, or not all could be read."""


async def rollout(
    session: Session, spec: RolloutSpec, text: str, options: Options
) -> RolloutResult:
    """Change the component as the spec asks, or go on with the run that does so already.

    ``text`` is the spec as written: the run keeps it. Raises KubeError, ClusterError and Stopped.
    """
    user = await session.kube.self_subject_review()
    lacking = await missing_permissions(session.kube, spec.component, session.state_namespace)
    if lacking:
        return NotAllowed(lacking, user.username)
    component = await read_component(session.kube, spec.component)
    if component is not None and component.anchor:
        found = await open_run(session, component)
        if isinstance(found, Record):
            if found.plan.change_digest != change_digest(spec):
                return Busy(found.run, "it makes another change")
            return await resume(session, found, component, user.username)
        if found is not None:
            return found
    held = None if options.retry_held else await held_change(session, spec)
    if held is not None:
        return Planned(result=Refused(refusals=(held,)), component=component)
    planned = await plan_live(session.kube, spec, now=session.clock(), detach=options.detach)
    plan = planned.result
    if isinstance(plan, Refused | Unneeded) or planned.unread or planned.component is None:
        return planned
    return await begin(session, plan, text, user.username)


async def begin(session: Session, plan: Plan, text: str, user: str) -> Ended:
    """Begin a run: take the lock, write the record, claim the component, go."""
    name = run_name(plan.spec.name, session.clock())
    async with await locked(session, plan.spec, name, user) as lock:
        record = Record(run=name, spec=text, plan=plan, owner=plan.spec.owner or "")
        store = RunStore(session.kube, session.state_namespace)
        await store.create(record)
        run = Run(name=name, plan=plan, state=RunState(), family=plan.family)
        signature = Signature(run=name, owner=record.owner, identity=user)
        return await drive(session, store, run, signature, lock, first=(_began(plan),))


async def resume(
    session: Session, record: Record, component: Component, user: str, *also: Draft
) -> Ended:
    """Go on where another runner stopped: take the lock, append first, raise the holder count.

    ``also`` are facts to write beside the takeover, such as a turn back.
    The former template is parked before any other write: whoever died may have left the target.
    """
    anchor = parse_anchor(component.anchor)
    if anchor is not None:
        session = msgspec.structs.replace(session, state_namespace=anchor.namespace)
    async with await locked(session, record.plan.spec, record.run, user) as lock:
        store = RunStore(session.kube, session.state_namespace)
        state = fold(await store.entries(record.run))
        run = Run(name=record.run, plan=record.plan, state=state, family=record.plan.family)
        signature = Signature(run=record.run, owner=record.owner, identity=user)
        taken = note("run", "held", detail={"holder": state.holder + 1})
        first = (taken, *also)
        return await drive(session, store, run, signature, lock, first=first, takes_over=True)


async def locked(session: Session, spec: RolloutSpec, run: str, user: str) -> Lock:
    """The component's lock, as long as its holder needs to be told alive or dead. HeldError."""
    lock = ComponentLock(
        session.kube,
        session.state_namespace,
        spec.component,
        duration=spec.lock.duration,
        holder=holder_name(run, user, session.host),
        wall=session.clock,
    )
    await tell_holder(session, spec.component)
    return await lock.acquire(spec.lock.duration * 1.5, from_the_living=False)


async def tell_holder(session: Session, component: ComponentRef) -> None:
    """Say whom we wait for: whether a holder still lives shows only when it renews, or does not."""
    holder = await read_holder(session.kube, session.state_namespace, component)
    if holder:
        session.watcher.say(f"locked by {holder}; waiting to see whether it still lives")


def run_name(spec: str, now: float) -> str:
    """The spec's name and the second in which the run began: unique under the component's lock."""
    return f"{spec}-{datetime.fromtimestamp(now, UTC):%Y%m%d-%H%M%S}"


def _began(plan: Plan) -> Draft:
    images: list[JsonObject] = [
        {"container": item.container, "image": item.image} for item in plan.spec.change.images
    ]
    detail: JsonObject = {
        "component": str(plan.spec.component),
        "generation": plan.generation,
        "changeDigest": plan.change_digest,
        "planDigest": plan.plan_digest,
        "former": {"name": plan.former.name, "hash": plan.former.hash},
        "images": images,
    }
    return note("run", "began", detail=detail)
