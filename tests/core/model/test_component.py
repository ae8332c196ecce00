"""The component: its template's digest, its images, and a change of them."""

import pytest

from bridgehead.core.model.component import images, template_digest, with_images
from bridgehead.core.model.json import JsonObject

TEMPLATE: JsonObject = {
    "metadata": {"labels": {"app": "plugin"}},
    "spec": {
        "initContainers": [{"name": "init", "image": "busybox:1"}],
        "containers": [
            {"name": "plugin", "image": "p:1", "args": ["-x"]},
            {"name": "side", "image": "s:1"},
        ],
    },
}


def test_null_fields_do_not_change_the_digest() -> None:
    """A ControllerRevision holds creationTimestamp: null where the DaemonSet has nothing."""
    stored = {**TEMPLATE, "metadata": {"labels": {"app": "plugin"}, "creationTimestamp": None}}
    assert template_digest(stored) == template_digest(TEMPLATE)
    nested = {"spec": {"containers": [{"name": "a", "image": "b", "resources": None}]}}
    assert template_digest(nested) == template_digest(
        {"spec": {"containers": [{"name": "a", "image": "b"}]}}
    )


def test_everything_else_changes_the_digest() -> None:
    assert template_digest(with_images(TEMPLATE, {"plugin": "p:2"})) != template_digest(TEMPLATE)
    assert template_digest({"spec": {"x": {}}}) != template_digest({"spec": {}})
    assert template_digest({"spec": {"x": [None]}}) != template_digest({"spec": {"x": []}})


def test_images_are_those_of_all_containers() -> None:
    assert images(TEMPLATE) == {"init": "busybox:1", "plugin": "p:1", "side": "s:1"}
    assert images({}) == {}


def test_with_images_changes_the_named_containers_and_nothing_else() -> None:
    changed = with_images(TEMPLATE, {"plugin": "p:2", "init": "busybox:2"})
    assert images(changed) == {"init": "busybox:2", "plugin": "p:2", "side": "s:1"}
    assert changed["metadata"] == TEMPLATE["metadata"]
    assert with_images(changed, {"plugin": "p:1", "init": "busybox:1"}) == TEMPLATE
    assert images(TEMPLATE)["plugin"] == "p:1"


def test_with_images_names_the_container_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="plugn"):
        with_images(TEMPLATE, {"plugn": "p:2"})
    with pytest.raises(KeyError):
        with_images({}, {"plugin": "p:2"})
