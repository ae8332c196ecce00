"""The refusal of an apply that would take fields from other managers.

Source: k8s.io/apimachinery/pkg/util/managedfields/internal/conflict.go (1.37).
"""

from collections.abc import Mapping

from bridgehead.twin.errors import ApiError
from bridgehead.twin.patches.entries import Who
from bridgehead.twin.patches.field_set import FieldSet, paths, told


def apply_conflict(lost: Mapping[Who, FieldSet]) -> ApiError:
    """409 that names every field and its manager, sorted by manager."""
    found = [(manager, told(path)) for manager in sorted(lost) for path in paths(lost[manager])]
    causes = [
        {
            "reason": "FieldManagerConflict",
            "message": f"conflict with {_named(manager)}",
            "field": field,
        }
        for manager, field in found
    ]
    return ApiError(409, "Conflict", _message(found), {"causes": causes})


def _message(found: list[tuple[Who, str]]) -> str:
    if len(found) == 1:
        [(manager, field)] = found
        return f"Apply failed with 1 conflict: conflict with {_named(manager)}: {field}"
    lines: list[str] = []
    for manager in dict.fromkeys(manager for manager, _ in found):
        lines.append(f"conflicts with {_named(manager)}:")
        lines.extend(f"- {field}" for other, field in found if other == manager)
    return f"Apply failed with {len(found)} conflicts: " + "\n".join(lines)


def _named(manager: Who) -> str:
    named = f'"{manager.manager}"'
    if manager.subresource:
        named += f' with subresource "{manager.subresource}"'
    return f"{named} using {manager.api_version}" if manager.operation == "Update" else named
