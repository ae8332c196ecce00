"""The table of writes and the page made from it."""

from pathlib import Path

from bridgehead.cluster.access import needed
from bridgehead.cluster.writes import WRITES, writes_page
from bridgehead.core.plan.settings import ComponentKind, ComponentRef

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "cluster-writes.md"
REVIEWS = {
    "selfsubjectaccessreviews.authorization.k8s.io",
    "selfsubjectreviews.authentication.k8s.io",
}
"""Everybody may ask about himself (ClusterRole system:basic-user)."""


def test_the_page_is_current() -> None:
    assert PAGE.read_text(encoding="utf-8") == writes_page()


def test_every_write_has_a_permission_that_is_asked_for_beforehand() -> None:
    permissions = needed(ComponentRef(ComponentKind.DAEMON_SET, "component", "plugin"), "state")
    granted = {
        (verb, f"{item.resource}.{item.group}".rstrip("."), item.namespace)
        for item in permissions
        for verb in item.verbs
        if not item.subresource
    }
    # The state namespace is asked about only where it does not exist.
    granted.add(("create", "namespaces", ""))
    written = {(item.verb, item.resource, item.namespace) for item in WRITES}
    assert {item for item in written if item[1] not in REVIEWS} <= granted


def test_no_permission_to_write_is_asked_for_without_need() -> None:
    permissions = needed(ComponentRef(ComponentKind.DAEMON_SET, "component", "plugin"), "state")
    reading = {"get", "list", "watch"}
    asked = {
        (verb, f"{item.resource}.{item.group}".rstrip("."), item.namespace)
        for item in permissions
        for verb in item.verbs
        if verb not in reading
    }
    assert asked <= {(item.verb, item.resource, item.namespace) for item in WRITES}
