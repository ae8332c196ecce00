"""The plan as a page that a reviewer understands: what, where, in which order, how carefully."""

from collections.abc import Iterator

from bridgehead.core.model.component import images
from bridgehead.core.model.durations import duration_text
from bridgehead.core.plan.plan import Plan, Refused, Stage, StageKind
from bridgehead.core.plan.settings import Reaction
from bridgehead.report.plan_json import GATES

SHOWN_NODES = 6


def plan_text(plan: Plan) -> str:
    """The page, 100 columns at most, ending with the digest that an approval would name."""
    return "\n".join(
        [
            *_change(plan),
            "",
            *_cohorts(plan),
            "",
            *_stages(plan),
            "",
            *_conduct(plan),
            *_aside(plan),
            *(f"warning: {item}" for item in plan.warnings),
            "",
            f"plan {plan.plan_digest[:19]}, change {plan.change_digest[:19]}",
        ]
    )


def refused_text(refused: Refused) -> str:
    """Every reason why there is no plan, each with its remedy."""
    lines = [f"warning: {item}" for item in refused.warnings]
    for item in refused.refusals:
        lines.extend((f"refused: {item.message} [{item.rule}]", f"  -> {item.remedy}"))
    lines.append("Nothing was changed.")
    return "\n".join(lines)


def _change(plan: Plan) -> Iterator[str]:
    spec = plan.spec
    yield f"Rollout {spec.name} of {spec.component}"
    former = images(plan.former_template)
    for container, image in spec.change.by_container().items():
        yield f"  {container}: {former.get(container, '?')} -> {image}"
    yield f"  resources: {', '.join(plan.resources)} ({plan.resources_source})"
    yield f"  former revision: {plan.former.name} (hash {plan.former.hash})"
    if spec.owner:
        yield f"  owner: {spec.owner}"


def _cohorts(plan: Plan) -> Iterator[str]:
    total = len(plan.nodes)
    yield f"{_count(total, 'node')} in {_count(len(plan.cohorts), 'cohort')}"
    for cohort in plan.cohorts:
        yield f"  {cohort.name}: {_count(len(cohort.nodes), 'node')}"


def _stages(plan: Plan) -> Iterator[str]:
    for number, stage in enumerate(plan.stages, 1):
        yield f"{number}. {stage.name}: {_stage(plan, stage)}"


def _stage(plan: Plan, stage: Stage) -> str:
    parts = [_names(stage.nodes)]
    if len(stage.nodes) > 1:
        parts.append(f"{stage.parallel} at a time, {stage.unproven} unproven at most")
    tested = [name for name in stage.nodes if name in plan.restart_tests]
    if stage.kind is StageKind.CANARY and tested:
        parts.append("restart test first")
    parts.append(f"then {duration_text(stage.soak)} of soak")
    return "; ".join(parts)


def _conduct(plan: Plan) -> Iterator[str]:
    timing, reaction = plan.timing, plan.spec.on_failure
    steady, limit = duration_text(timing.settle), duration_text(timing.timeout)
    yield f"Each node: cordon, delete its plugin pod, gates {', '.join(GATES[:5])},"
    how = f"steady for {steady}, {limit} at most"
    yield f"  {', '.join(GATES[5:])} ({how}), uncordon. Pods that hold devices"
    yield "  keep running."
    if plan.spec.verify.status_period_unchecked:
        yield f"  Status period {duration_text(timing.status_period)}, taken on trust."
    yield f"A failed canary: {_reaction(reaction.canary)}. A failed node of a wave: " + (
        f"{_reaction(reaction.wave)}."
    )
    cost = plan.cost
    yield (
        f"Expected: {duration_text(round(cost.duration))}, {cost.device_minutes:g} device-minutes "
        f"without devices, about {cost.requests} API requests."
    )


def _reaction(reaction: Reaction) -> str:
    match reaction:
        case Reaction.ROLLBACK:
            return "take back every touched node"
        case Reaction.HOLD:
            return "take it back alone and hold"


def _aside(plan: Plan) -> Iterator[str]:
    for item in plan.set_aside:
        yield f"set aside: {item.node}: {item.reason}"


def _names(nodes: tuple[str, ...]) -> str:
    shown = ", ".join(nodes[:SHOWN_NODES])
    more = len(nodes) - SHOWN_NODES
    return f"{shown} and {more} more" if more > 0 else shown


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
