"""The plan as a page that a reviewer understands: what, where, in which order, how carefully."""

import textwrap
from collections.abc import Iterator

from bridgehead.core.model.component import images
from bridgehead.core.model.durations import duration_text
from bridgehead.core.model.json import differing
from bridgehead.core.plan.plan import Occupied, Plan, Refused, Stage, StageKind
from bridgehead.core.plan.settings import EVERY_DAY, ManifestChange, Reaction, Workloads
from bridgehead.core.rollout.approvals import points
from bridgehead.report.plain import plain_line
from bridgehead.report.plan_json import GATES

SHOWN_NODES = 6
SHOWN_FIELDS = 5
WIDTH = 100
"""Columns of the page."""


def plan_text(plan: Plan) -> str:
    """The page, 100 columns at most, ending with the digest that an approval would name."""
    lines = [
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
    return "\n".join(map(plain_line, lines))


def refused_text(refused: Refused) -> str:
    """Every reason why there is no plan, each with its remedy."""
    lines = [f"warning: {item}" for item in refused.warnings]
    for item in refused.refusals:
        lines.extend((f"refused: {item.message} [{item.rule}]", f"  -> {item.remedy}"))
    lines.append("Nothing was changed.")
    return "\n".join(map(plain_line, lines))


def _change(plan: Plan) -> Iterator[str]:
    spec = plan.spec
    yield f"Rollout {spec.name} of {spec.component}"
    former = images(plan.former_template)
    for container, image in plan.images.items():
        yield f"  {container}: {former.get(container, '?')} -> {image}"
    yield from _manifest(plan)
    yield f"  resources: {', '.join(plan.resources)} ({plan.resources_source})"
    yield f"  former revision: {plan.former.name} (hash {plan.former.hash})"
    if spec.owner:
        yield f"  owner: {spec.owner}"


def _manifest(plan: Plan) -> Iterator[str]:
    """What a manifest's template changes beside images, and what follows from a move."""
    if isinstance(plan.spec.change, ManifestChange):
        fields = list(differing(plan.former_template, plan.target_template))
        others = [item for item in fields if not item.endswith(".image")]
        if others:
            more = f" and {len(others) - SHOWN_FIELDS} more" if len(others) > SHOWN_FIELDS else ""
            shown = ", ".join(others[:SHOWN_FIELDS])
            yield from _wrapped(f"{plan.spec.change.path} changes: {shown}{more}")
    if plan.placement is None:
        return
    yield from _wrapped(f"gains: {', '.join(plan.placement.gains) or 'no node'}")
    yield from _wrapped(f"loses: {', '.join(plan.placement.loses) or 'no node'}")
    yield "  All of these change at once when the template is written. The new template then stands"
    yield "  to the end: newcomers get it, and a node that fails in a wave is not taken back alone."
    yield "  Every other node's pod is of another revision then: all of them are restarted as well."


def _wrapped(line: str) -> list[str]:
    """Whole, as consent is given to what is listed here."""
    return textwrap.wrap(
        line,
        WIDTH,
        initial_indent="  ",
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


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
    yield f"  {', '.join(GATES[5:])} ({how}), uncordon."
    yield from _care(plan)
    if plan.spec.verify.status_period_unchecked:
        yield f"  Status period {duration_text(timing.status_period)}, taken on trust."
    yield f"A failed canary: {_reaction(reaction.canary)}. A failed node of a wave: " + (
        f"{_reaction(reaction.wave, parks=plan.parks)}."
    )
    yield from _consent(plan)
    cost = plan.cost
    yield (
        f"Expected: {duration_text(round(cost.duration))}, {cost.device_minutes:g} device-minutes "
        f"without devices, about {cost.requests} API requests."
    )


def _care(plan: Plan) -> Iterator[str]:
    """What becomes of the pods that hold devices, and how many of them there are now."""
    limit = duration_text(plan.care.timeout)
    match plan.care.workloads:
        case Workloads.KEEP:
            yield "  Pods that hold devices keep running."
            return
        case Workloads.WAIT:
            yield f"  Once cordoned, it waits until no pod holds its devices, {limit} at most."
        case Workloads.EVICT:
            yield f"  Once cordoned, pods that hold its devices are evicted, {limit} at most."
    yield "  After that it is uncordoned and set aside, with the pods named. Pods of DaemonSets and"
    yield "  static pods are left alone. A node that failed is taken back without waiting."
    if not plan.occupied:
        yield "  No pod holds devices now."
    for item in plan.occupied[:SHOWN_NODES]:
        yield f"  {item.node}: {_holders(plan, item)}"
    if len(plan.occupied) > SHOWN_NODES:
        yield f"  and {len(plan.occupied) - SHOWN_NODES} more nodes with such pods"


def _holders(plan: Plan, item: Occupied) -> str:
    movable, bare = len(item.movable), len(item.bare)
    if plan.care.workloads is Workloads.EVICT:
        parts = [
            (movable, "to be evicted"),
            (bare, "without a controller, so set aside"),
        ]
    else:
        parts = [(movable + bare, "to be waited for")]
    parts.append((len(item.resident), "left alone"))
    return ", ".join(f"{_count(number, 'pod')} {what}" for number, what in parts if number)


def _consent(plan: Plan) -> Iterator[str]:
    """Where and when the run waits, and for what."""
    spec = plan.spec
    if stops := points(plan):
        who = "another identity than the runner's" if spec.two_people else "a person"
        yield f"Waits for the approval of {who}: {', '.join(stops)}."
    for window in spec.windows:
        days = "" if window.days == EVERY_DAY else f"{' '.join(day.value for day in window.days)} "
        hours = f"{_clock(window.opens)} to {_clock(window.closes)}"
        yield f"Nodes are changed only {days}{hours} {window.timezone}."


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def _reaction(reaction: Reaction, *, parks: bool = True) -> str:
    match reaction:
        case Reaction.ROLLBACK:
            return "take back every touched node"
        case Reaction.HOLD:
            return "take it back alone and hold" if parks else "keep it cordoned and hold"


def _aside(plan: Plan) -> Iterator[str]:
    for item in plan.set_aside:
        yield f"set aside: {item.node}: {item.reason}"


def _names(nodes: tuple[str, ...]) -> str:
    shown = ", ".join(nodes[:SHOWN_NODES])
    more = len(nodes) - SHOWN_NODES
    return f"{shown} and {more} more" if more > 0 else shown


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
