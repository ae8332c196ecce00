"""The use case ``rollout``: begin a run or go on with it, to an ending."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import msgspec

from bridgehead.app.held_change import held_change
from bridgehead.app.limits import TooShort, bounds, too_short
from bridgehead.app.locking import locked
from bridgehead.app.open_run import Orphaned, close_unheard, open_run
from bridgehead.app.planning import Planned, plan_live
from bridgehead.app.resume import Over, resume
from bridgehead.app.runner import Ended, drive
from bridgehead.app.session import Session
from bridgehead.cluster.access import Missing, complete, missing_permissions
from bridgehead.cluster.anchor import parse_anchor
from bridgehead.cluster.errors import ChangedMeanwhileError
from bridgehead.cluster.read import read_component
from bridgehead.cluster.record import Record
from bridgehead.cluster.store import RunStore
from bridgehead.core.journal.chain import Signature
from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.plan import Plan, Refused
from bridgehead.core.plan.settings import ManifestChange, RolloutSpec, Workloads
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.noticing import last_write
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import RunState


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
    grants: tuple[Missing, ...]
    """What to grant: all that a rollout needs."""
    why: str = ""
    """What cannot be done without them; empty where the permissions say it themselves."""


class Busy(msgspec.Struct, frozen=True):
    """Another run holds the component; nothing was changed (exit 7)."""

    run: str
    why: str


RolloutResult = Ended | Planned | NotAllowed | Busy | Orphaned | TooShort
"""``Planned`` where it ended with the plan: refused, nothing to do, or not all could be read."""


async def rollout(
    session: Session, spec: RolloutSpec, text: str, options: Options
) -> RolloutResult:
    """Change the component as the spec asks, or go on with the run that does so already.

    ``text`` is the spec as written: the run keeps it. Raises KubeError, ClusterError and Stopped.
    """
    user = await session.kube.self_subject_review()
    evicts = spec.workloads is Workloads.EVICT
    where = session.state_namespace
    lacking = await missing_permissions(session.kube, spec.component, where, evicts=evicts)
    if lacking:
        grants = complete(lacking, spec.component, where, evicts=evicts)
        return NotAllowed(lacking, user.username, grants)
    component = await read_component(session.kube, spec.component)
    if component is not None and component.anchor:
        found = await open_run(session, component)
        if isinstance(found, Record):
            if differing := differences(found.plan.spec, spec):
                return Busy(found.run, f"its spec differs in {', '.join(differing)}")
            resumed = await resume(session, found, component, user.username)
            if not isinstance(resumed, Over):
                return resumed
        elif found is not None:
            return found

    async def planning() -> Planned:
        held = None if options.retry_held else await held_change(session, spec)
        if held is not None:
            return Planned(result=Refused(refusals=(held,)), component=component)
        return await plan_live(session.kube, spec, now=session.clock(), detach=options.detach)

    return await begin(session, spec, planning, text, user.username)


def differences(one: RolloutSpec, other: RolloutSpec) -> tuple[str, ...]:
    """The keys in which two specs differ: a run goes on only with the spec that it began with."""
    names = RolloutSpec.__struct_fields__
    return tuple(name for name in names if getattr(one, name) != getattr(other, name))


Planning = Callable[[], Awaitable[Planned]]
"""Makes the plan of a run from the cluster as it is then."""


async def begin(
    session: Session, spec: RolloutSpec, planning: Planning, text: str, user: str
) -> RolloutResult:
    """Begin a run: plan, take the lock, write the record, claim the component, go.

    A plan that waited for the lock may be of a component that was changed meanwhile: it is made
    once more under the lock. Raises ChangedMeanwhileError where that one does not hold either.
    """
    planned = await planning()
    if _plan_of(planned) is None:
        return planned
    name = run_name(spec.name, session.clock())
    async with await locked(session, spec, name, user) as lock:
        standing = await read_component(session.kube, spec.component)
        if not _is_of(planned, standing):
            planned = await planning()
            standing = await read_component(session.kube, spec.component)
        plan = _plan_of(planned)
        if standing is not None and standing.anchor:
            return _anchored(standing)
        if plan is None:
            return planned
        if not _is_of(planned, standing):
            raise ChangedMeanwhileError(str(spec.component))
        limits = bounds(session, plan, user)
        run = Run(name=name, plan=plan, state=RunState(), family=plan.family, limits=limits)
        if (short := too_short(run, session.clock())) is not None:
            return short
        await close_unheard(session, spec.component, standing, user)
        record = Record(run=name, spec=text, plan=plan, owner=plan.spec.owner or "")
        store = RunStore(session.kube, session.state_namespace)
        await store.create(record)
        signature = Signature(run=name, owner=record.owner, identity=user)
        first = (_began(plan, last_write(standing) if standing else ""),)
        return await drive(session, store, record, run, signature, lock=lock, first=first)


def _plan_of(planned: Planned) -> Plan | None:
    """The plan, where it may be followed."""
    if planned.unread or planned.component is None:
        return None
    return planned.result if isinstance(planned.result, Plan) else None


def _is_of(planned: Planned, standing: Component | None) -> bool:
    """Whether the component is what the plan was made from, and still nobody's."""
    plan = _plan_of(planned)
    if plan is None or standing is None or standing.anchor:
        return False
    return (plan.component_uid, plan.generation) == (standing.uid, standing.generation)


def _anchored(component: Component) -> Busy:
    """Whose mark a component carries that is about to be claimed: nobody can claim it then."""
    anchor = parse_anchor(component.anchor)
    run = anchor.run if anchor is not None else component.anchor
    return Busy(
        run,
        "it began meanwhile, or left its mark behind; see how it stands, and if it is over: "
        f"bridgehead release {component.ref}",
    )


def run_name(spec: str, now: float) -> str:
    """The spec's name and the second in which the run began: unique under the component's lock."""
    return f"{spec}-{datetime.fromtimestamp(now, UTC):%Y%m%d-%H%M%S}"


def _began(plan: Plan, written: str) -> Draft:
    change = plan.spec.change
    images: list[JsonObject] = [
        {"container": name, "image": image} for name, image in sorted(plan.images.items())
    ]
    detail: JsonObject = {
        "component": str(plan.spec.component),
        "generation": plan.generation,
        "written": written,
        "changeDigest": plan.change_digest,
        "planDigest": plan.plan_digest,
        "former": {"name": plan.former.name, "hash": plan.former.hash},
        "images": images,
        **({"manifest": change.path} if isinstance(change, ManifestChange) else {}),
        **({"placement": msgspec.to_builtins(plan.placement)} if plan.placement else {}),
    }
    return note("run", "began", detail=detail)
