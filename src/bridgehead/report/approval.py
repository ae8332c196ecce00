"""What an approval is about, to be read before it is given."""

from collections.abc import Iterator

import msgspec

from bridgehead.core.model.component import images
from bridgehead.core.model.json import JsonObject, canonical
from bridgehead.core.plan.points import stage_after
from bridgehead.core.rollout.approvals import PLACEMENT, binding
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeStatus

SHOWN = 8
"""Nodes that are named at most; the JSON has all."""


class Approval(msgspec.Struct, frozen=True, kw_only=True):
    """The change, how far it has come, and where it goes next."""

    run: str
    component: str
    point: str
    images: dict[str, tuple[str, str]]
    """Former and new image by container."""
    cohorts: dict[str, int]
    """Number of planned nodes by cohort."""
    passed: tuple[str, ...]
    next: tuple[str, ...]
    """Nodes that take the change next, after this consent."""
    later: int
    """How many come after those."""
    placement: JsonObject
    """Where the template lets its pods go; fields that are not set are left out."""
    change_digest: str
    binds: str


def approval_of(run: Run, point: str) -> Approval:
    """What the approver of that point is to see."""
    plan, state = run.plan, run.state
    former = images(plan.former_template)
    first = stage_after(plan.stages, point) or 0
    ahead = [stage.nodes for stage in plan.stages[first:]]
    spec = plan.target_template.get("spec")
    fields = spec if isinstance(spec, dict) else {}
    return Approval(
        run=run.name,
        component=str(plan.spec.component),
        point=point,
        images={name: (former.get(name, ""), image) for name, image in plan.images.items()},
        cohorts={cohort.name: len(cohort.nodes) for cohort in plan.cohorts},
        passed=tuple(name for name in plan.nodes if state.node(name).status is NodeStatus.PASSED),
        next=ahead[0] if ahead else (),
        later=sum(map(len, ahead[1:])) + len(state.joined),
        placement={name: fields[name] for name in PLACEMENT if name in fields},
        change_digest=plan.change_digest,
        binds=binding(plan),
    )


def approval_text(item: Approval) -> str:
    """One block."""
    return "\n".join(_lines(item))


def approval_json(item: Approval) -> JsonObject:
    """The same as data."""
    plain = msgspec.to_builtins(item)
    digest = plain.pop("change_digest")
    content: JsonObject = {**plain, "changeDigest": digest}
    return content


def _lines(item: Approval) -> Iterator[str]:
    yield f"{item.point} of run {item.run}, {item.component}"
    for container, (before, after) in item.images.items():
        yield f"  {container}: {before or '-'} -> {after}"
    for name, count in item.cohorts.items():
        yield f"  cohort {name}: {count} node{'s' if count != 1 else ''}"
    yield f"  on the new version: {_named(item.passed) or 'none'}"
    after = f", then {item.later} more" if item.later else ""
    yield f"  next: {_named(item.next) or 'none'}{after}"
    placed = ", ".join(f"{name} {canonical(value)}" for name, value in item.placement.items())
    yield f"  placement: {placed or 'every node'}"
    yield f"  change {item.change_digest[:19]}"


def _named(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{more}"
