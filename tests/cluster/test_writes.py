"""The table of writes and the page made from it."""

from pathlib import Path

from bridgehead.cluster.access import Permission, needed
from bridgehead.cluster.recover_access import needed_to_read_nodes, needed_to_recover
from bridgehead.cluster.writes import WRITES, Write, writes_page
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.core.recover.rung import Rung

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cluster-writes.md"
REVIEWS = {
    "selfsubjectaccessreviews.authorization.k8s.io",
    "selfsubjectreviews.authentication.k8s.io",
    "subjectaccessreviews.authorization.k8s.io",
}
"""Everybody may ask about himself (ClusterRole system:basic-user). Lint asks about others, and goes
on without an answer where it may not.
"""


def everything() -> tuple[Permission, ...]:
    component = ComponentRef(ComponentKind.DAEMON_SET, "component", "plugin")
    return (
        *needed(component, "state", evicts=True),
        *(item for rung in Rung for item in needed_to_recover(component, "state", rung)),
        *needed_to_read_nodes("state"),
    )


def resource_of(item: Permission) -> str:
    named = f"{item.resource}.{item.group}".rstrip(".")
    return f"{named}/{item.subresource}" if item.subresource else named


def key(item: Write) -> tuple[str, str, str]:
    """A write as a permission names it; what may be in any namespace is granted for all."""
    named = f"{item.resource}/{item.subresource}" if item.subresource else item.resource
    return item.verb, named, "" if item.namespace == "any" else item.namespace


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == writes_page()


def test_every_write_has_a_permission_that_is_asked_for_beforehand() -> None:
    granted = {
        (verb, resource_of(item), item.namespace) for item in everything() for verb in item.verbs
    }
    # The state namespace is asked about only where it does not exist.
    granted.add(("create", "namespaces", ""))
    written = {key(item) for item in WRITES}
    assert {item for item in written if item[1] not in REVIEWS} <= granted


def test_no_permission_to_write_is_asked_for_without_need() -> None:
    reading = {"get", "list", "watch"}
    asked = {
        (verb, resource_of(item), item.namespace)
        for item in everything()
        for verb in item.verbs
        if verb not in reading
    }
    assert asked <= {key(item) for item in WRITES}
