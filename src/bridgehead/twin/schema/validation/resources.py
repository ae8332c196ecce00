"""Resources that containers ask for.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, validateResourceRequirements, and
.../pkg/apis/core/helper/helpers.go.
"""

from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.quantities import value_of
from bridgehead.twin.schema.validation.causes import Causes, forbidden, invalid, required
from bridgehead.twin.schema.validation.names import qualified_name

_STANDARD = frozenset({"cpu", "memory", "ephemeral-storage"})
"""Resources of containers without a prefix; huge pages beside them."""

_OTHER_STANDARD = frozenset({"storage", "pods", "services", "secrets", "configmaps"})
"""Resources without a prefix that no container may ask for."""


def resource_causes(resources: Object, field: str) -> Causes:
    """What is wrong with ``limits`` and ``requests``; amounts are readable already."""
    limits: dict[str, Any] = resources.get("limits") or {}
    requests: dict[str, Any] = resources.get("requests") or {}
    for name, amount in limits.items():
        yield from _amount_causes(name, amount, f"{field}.limits[{name}]")
    for name, amount in requests.items():
        yield from _amount_causes(name, amount, f"{field}.requests[{name}]")
        if name in limits:
            limit = value_of(limits[name])
            if value_of(amount) != limit and not _may_overcommit(name):
                detail = f"must be equal to {name} limit of {limits[name]}"
                yield invalid(f"{field}.requests", amount, detail)
            elif value_of(amount) > limit:
                detail = f"must be less than or equal to {name} limit of {limits[name]}"
                yield invalid(f"{field}.requests", amount, detail)
        elif not _may_overcommit(name):
            yield required(f"{field}.limits", "Limit must be set for non overcommitable resources")
    names = {*limits, *requests}
    if any(_is_huge_page(name) for name in names) and not names & {"cpu", "memory"}:
        yield forbidden(field, "HugePages require cpu or memory")


def amount_causes(name: str, amount: Any, field: str) -> Causes:
    """What is wrong with one amount, of a container or of a node."""
    if value_of(amount) < 0:
        yield invalid(field, amount, "must be greater than or equal to 0")
    if _is_whole(name) and value_of(amount) % 1:
        yield invalid(field, amount, "must be an integer")


def _amount_causes(name: str, amount: Any, field: str) -> Causes:
    malformed = list(qualified_name(name))
    for message in malformed:
        yield invalid(field, name, message)
    prefix, slash, _ = name.partition("/")
    if not slash and name not in _STANDARD and not _is_huge_page(name):
        if not malformed and name not in _OTHER_STANDARD:
            yield invalid(field, name, "must be a standard resource type or fully qualified")
        yield invalid(field, name, "must be a standard resource for containers")
    elif slash and not _is_native(name) and prefix.startswith("requests."):
        yield invalid(field, name, "doesn't follow extended resource name standard")
    yield from amount_causes(name, amount, field)


def _is_huge_page(name: str) -> bool:
    return name.startswith("hugepages-")


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _may_overcommit(name: str) -> bool:
    return _is_native(name) and not _is_huge_page(name)


def _is_whole(name: str) -> bool:
    """Devices cannot be cut."""
    return not _is_native(name) or name == "pods"
