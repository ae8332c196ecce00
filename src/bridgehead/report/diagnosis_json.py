"""``bridgehead.dev/diagnosis/v1``: a diagnosis for programs."""

import msgspec

from bridgehead.core.diagnose.diagnosis import SCHEMA, Diagnosis, Ranked, TooEarly
from bridgehead.core.findings.finding import Finding
from bridgehead.core.model.json import JsonObject, JsonValue


def diagnosis_json(diagnosis: Diagnosis) -> JsonObject:
    """Everything, in a stable order."""
    view = msgspec.to_builtins(diagnosis)
    return {
        "schema": SCHEMA,
        "at": diagnosis.at,
        "about": diagnosis.about,
        "healthy": diagnosis.healthy,
        "causes": [cause_json(item) for item in diagnosis.causes],
        "symptoms": view["symptoms"],
        "nodes": view["nodes"],
        "notKnown": view["notKnown"],
        "failures": view["failures"],
        "unread": view["unread"],
        "tooEarly": view["tooEarly"],
    }


def cause_json(cause: Ranked) -> JsonObject:
    """A finding, with what a cause has beyond it."""
    view = msgspec.to_builtins(cause)
    node = cause.nodes[0] if len(cause.nodes) == 1 else ""
    place: JsonObject = {"node": node, "file": "", "line": 0, "column": 0}
    return {**view, **place, "effects": [finding_json(item) for item in cause.effects]}


def early_json(early: TooEarly) -> JsonObject:
    """Something that has just begun."""
    found: dict[str, JsonValue] = msgspec.to_builtins(early)
    return found


def finding_json(finding: Finding) -> dict[str, JsonValue]:
    """A finding as design section 5 has it."""
    found: dict[str, JsonValue] = msgspec.to_builtins(finding)
    return found
