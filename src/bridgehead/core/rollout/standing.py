"""How a run stands, for people: its own state beside what the cluster shows of it."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.model.component import Component, template_digest
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod
from bridgehead.core.plan.foreign_holds import foreign_hold
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.leftovers import Leftover, leftovers
from bridgehead.core.rollout.state import Mode, NodeStatus, RunState, Stray
from bridgehead.core.rollout.wishes import Wishes


class NodeStanding(msgspec.Struct, frozen=True):
    """One node of a run."""

    name: str
    status: str
    revision: str
    """Hash that its plugin pod carries; empty where there is none."""
    held: bool
    reason: str = ""
    """Who else holds it, or why it was set aside; empty where there is nothing to tell."""


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    run: str
    component: str
    owner: str
    mode: str
    stage: str
    template: str
    """Which template stands on the component: ``former``, ``target``, ``foreign`` or ``gone``."""
    holder: str
    """Who holds the lock now; empty where nobody does."""
    nodes: tuple[NodeStanding, ...]
    leftovers: tuple[Leftover, ...]
    summary: str
    rollback_helps: bool | None = None
    undoes: str = ""
    """The run that this one takes back; empty where it is no way back."""
    """False where the ending says that only mending the node helps."""
    given_up: bool = False
    """Whether the ending says that nobody can go on with it, so that it is to be released."""
    stray: Stray | None = None
    """What the ending tells of somebody else's write of the component."""
    wishes: Wishes = Wishes()
    """What people asked of it."""

    @property
    def open(self) -> bool:
        """Whether the run still keeps its component."""
        return self.mode != Mode.ENDED.value


def standing(
    *,
    run: str,
    owner: str,
    plan: Plan,
    state: RunState,
    component: Component | None,
    pods: tuple[Pod, ...],
    own: tuple[Pod, ...],
    nodes: tuple[Node, ...],
    holder: str,
    now: float,
) -> Standing:
    """How a run stands; ``pods`` are the component's, ``own`` the run's own ones.

    ``now`` is in seconds since the epoch.
    """
    revisions = {pod.node: pod.revision for pod in pods if not pod.terminal}
    aside = (item.node for item in plan.set_aside)
    names = dict.fromkeys((*plan.nodes, *plan.loses, *plan.gains, *state.joined, *aside))
    held = {node.name for node in nodes if node.held_by == run}
    foreign = {node.name: foreign_hold(node, run) for node in nodes}
    return Standing(
        run=run,
        component=str(plan.spec.component),
        owner=owner,
        mode=state.mode.value,
        stage=_stage(plan, state),
        template=_template(plan, component),
        holder=holder,
        nodes=tuple(
            NodeStanding(
                name,
                _status(plan, state, name),
                revisions.get(name, ""),
                name in held,
                _reason(plan, state, foreign, name),
            )
            for name in names
        ),
        leftovers=leftovers(run, owner, state, component=component, own=own, nodes=nodes, now=now),
        summary=state.ending.summary if state.ending else "",
        rollback_helps=state.ending.rollback_helps if state.ending else None,
        undoes=plan.spec.undoes,
        given_up=state.ending is not None and state.ending.given_up,
        stray=state.ending.stray if state.ending else None,
    )


def _planned_aside(plan: Plan, state: RunState, name: str) -> str:
    """Why the plan leaves the node alone; empty where it does not, or where it came up since."""
    if state.node(name).status is not NodeStatus.PENDING:
        return ""
    return next((item.reason for item in plan.set_aside if item.node == name), "")


def _reason(plan: Plan, state: RunState, foreign: Mapping[str, str], name: str) -> str:
    own = state.node(name).reason or _planned_aside(plan, state, name)
    return foreign.get(name, "") or own


def _status(plan: Plan, state: RunState, name: str) -> str:
    node = state.node(name)
    if node.work is None and _planned_aside(plan, state, name):
        return NodeStatus.SET_ASIDE.value
    return f"in flight: {node.work.purpose.value}" if node.work else node.status.value


def _stage(plan: Plan, state: RunState) -> str:
    if state.mode is Mode.PREFLIGHT:
        return "preflight"
    if state.stage >= len(plan.stages):
        return "finishing"
    stage = plan.stages[state.stage]
    done = sum(state.node(name).status is NodeStatus.PASSED for name in stage.nodes)
    soaking = ", soaking" if state.soak_since is not None else ""
    return f"{stage.name} ({done} of {len(stage.nodes)} passed{soaking})"


def _template(plan: Plan, component: Component | None) -> str:
    if component is None or component.uid != plan.component_uid:
        return "gone"
    if component.template_digest == plan.former.template_digest:
        return Position.FORMER.value
    if component.template_digest == template_digest(plan.target_template):
        return Position.TARGET.value
    return "foreign"
