"""The plan as data: ``bridgehead.dev/plan/v1``."""

import msgspec

from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.plan.plan import Placement, Plan, Refused, Unneeded
from bridgehead.core.rollout.approvals import binding, points

SCHEMA = "bridgehead.dev/plan/v1"
GATES = (
    "image",
    "admitted",
    "pod-ready",
    "log",
    "healthy",
    "allocatable",
    "refused-pods",
    "probe",
)


def plan_json(result: Plan | Refused | Unneeded, unread: tuple[Unread, ...] = ()) -> JsonObject:
    """A plan or a refusal under one schema; a reader looks at ``refusals`` first."""
    common: JsonObject = {"schema": SCHEMA, "unread": msgspec.to_builtins(unread)}
    match result:
        case Plan():
            return {**common, **_plan(result)}
        case Refused():
            refusals = msgspec.to_builtins(result.refusals)
            aside = msgspec.to_builtins(result.set_aside)
            return {**common, "refusals": refusals, "setAside": aside, "waves": [], "cohorts": []}
        case Unneeded():
            return {**common, "refusals": [], "waves": [], "cohorts": [], "reason": result.reason}


def _plan(plan: Plan) -> JsonObject:
    return {
        "changeDigest": plan.change_digest,
        "planDigest": plan.plan_digest,
        "refusals": [],
        "component": str(plan.spec.component),
        "resources": list(plan.resources),
        "formerRevision": {"name": plan.former.name, "hash": plan.former.hash},
        "images": plan.images,
        "cohorts": msgspec.to_builtins(plan.cohorts),
        "waves": [
            {
                "name": stage.name,
                "kind": stage.kind.value,
                "nodes": list(stage.nodes),
                "parallel": stage.parallel,
                "unproven": stage.unproven,
                "soakSeconds": stage.soak,
                "gates": list(GATES),
            }
            for stage in plan.stages
        ],
        "approve": list(points(plan)),
        "twoPeople": plan.spec.two_people,
        "approvalBinds": binding(plan),
        "windows": msgspec.to_builtins(plan.spec.windows),
        "restartTests": list(plan.restart_tests),
        "setAside": msgspec.to_builtins(plan.set_aside),
        "workloads": {
            "care": plan.care.workloads.value,
            "timeoutSeconds": plan.care.timeout,
            "holders": msgspec.to_builtins(plan.occupied),
        },
        "placement": msgspec.to_builtins(plan.placement or Placement()),
        "parks": plan.parks,
        "oneWay": False,
        "cost": {
            "durationSeconds": plan.cost.duration,
            "deviceMinutes": plan.cost.device_minutes,
            "requests": plan.cost.requests,
        },
        "warnings": list(plan.warnings),
    }
