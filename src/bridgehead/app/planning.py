"""From a spec and a live cluster to a plan: what ``plan`` shows and ``rollout`` follows."""

import msgspec

from bridgehead.cluster.dry_run import pod_refusal, stored_target
from bridgehead.cluster.holds import HoldReader
from bridgehead.cluster.read import read_snapshot
from bridgehead.core.model.component import Component
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.build import build
from bridgehead.core.plan.maintenance import with_holds
from bridgehead.core.plan.plan import Plan, Refusal, Refused, Unneeded
from bridgehead.core.plan.settings import ManifestChange, RolloutSpec
from bridgehead.core.plan.subject import changed_template, find_component
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """A plan, or why there is none, with the reading that it rests on."""

    result: Plan | Refused | Unneeded
    component: Component | None
    unread: tuple[Unread, ...] = ()
    """What the plan needed and could not read: with anything here it is not to be trusted."""


async def plan_live(
    kube: Kube, spec: RolloutSpec, *, now: float, detach: bool = False, rehearse: bool = True
) -> Planned:
    """Plan against the cluster; reads, and asks by dry-run what would be stored.

    ``rehearse`` also asks whether the namespace would take a pod of the new template; without it,
    or without the permission, that is left to the rollout's own preflight.
    """
    snapshot = await read_snapshot(
        kube, now=now, namespaces=(spec.component.namespace,), with_namespaces=True
    )
    snapshot = await _with_holds(kube, snapshot)
    component = find_component(spec, snapshot)
    target, unread = await _target(kube, spec, component)
    if isinstance(target, Refusal):
        return Planned(
            result=Refused(refusals=(target,)), component=component, unread=snapshot.unread
        )
    result = build(spec, snapshot, target, detach=detach)
    if isinstance(result, Plan) and component is not None and rehearse:
        refusal = await pod_refusal(kube, component, result.target_template)
        if refusal is not None:
            result = Refused(refusals=(refusal,), warnings=result.warnings)
    return Planned(result=result, component=component, unread=(*snapshot.unread, *unread))


async def _with_holds(kube: Kube, snapshot: Snapshot) -> Snapshot:
    """The snapshot with what holds its nodes; what cannot be read may hold any of them."""
    reader = HoldReader(kube)
    await reader.find()
    found = await reader.read(snapshot.at)
    return msgspec.structs.replace(
        snapshot,
        nodes=with_holds(snapshot.nodes, found.holds),
        unread=(*snapshot.unread, *found.unread),
    )


def plan_recorded(spec: RolloutSpec, snapshot: Snapshot, *, detach: bool = False) -> Planned:
    """Plan against a recorded state: the template is rendered here, no server was asked."""
    component = find_component(spec, snapshot)
    target, unread = _without_a_server(spec, component, "a recorded state has no server to ask")
    result = build(spec, snapshot, target, detach=detach)
    return Planned(result=result, component=component, unread=(*snapshot.unread, *unread))


async def _target(
    kube: Kube, spec: RolloutSpec, component: Component | None
) -> tuple[JsonObject | Refusal | None, tuple[Unread, ...]]:
    rendered = _rendered(spec, component)
    if component is None or rendered is None or component.deleting:
        return rendered, ()
    try:
        return await stored_target(kube, spec, component), ()
    except Forbidden as error:
        grant = f"patch daemonsets.apps in namespace {component.namespace}"
        unread = Unread(what=_stored(component), why=str(error), grant=grant)
        target, _ = _without_a_server(spec, component, str(error))
        return target, (unread,)


def _without_a_server(
    spec: RolloutSpec, component: Component | None, why: str
) -> tuple[JsonObject | None, tuple[Unread, ...]]:
    """The target as it can be told here. A manifest lacks what the server puts in by itself, so
    every field with a default would look like a change: of that, nothing is told.
    """
    if component is not None and isinstance(spec.change, ManifestChange):
        return None, (Unread(what=_stored(component), why=why),)
    return _rendered(spec, component), ()


def _stored(component: Component) -> str:
    return f"what the API server would store as the template of {component.ref}"


def _rendered(spec: RolloutSpec, component: Component | None) -> JsonObject | None:
    if component is None:
        return None
    try:
        return changed_template(spec, component)
    except KeyError:
        return None
