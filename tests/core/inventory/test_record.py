"""The saved inventory: trimmed, sorted, the same for the same cluster, with a digest."""

import random

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.inventory.build import build_inventory
from bridgehead.core.inventory.record import SCHEMA, content_digest, record, recorded
from bridgehead.core.inventory.trimming import trimmed_template
from bridgehead.core.model.json import canonical, children, text
from bridgehead.core.model.snapshot import Snapshot
from tests.core.inventory.cluster import component, snapshot, template, workload


def whole(of: Snapshot) -> str:
    return canonical(record(of, build_inventory(of)))


def test_document_names_its_schema_and_fits_its_digest() -> None:
    found = record(snapshot(), build_inventory(snapshot()))
    assert found["schema"] == SCHEMA
    assert found["at"] == "1970-01-01T00:16:40.000Z"
    assert found["digest"] == content_digest(found)


def test_the_digest_does_not_depend_on_the_time_of_reading() -> None:
    later = snapshot(at=5000.0)
    first = record(snapshot(), build_inventory(snapshot()))
    assert record(later, build_inventory(later))["digest"] == first["digest"]


def test_the_digest_depends_on_the_cluster() -> None:
    other = snapshot(server="v1.36.0")
    first = record(snapshot(), build_inventory(snapshot()))
    assert record(other, build_inventory(other))["digest"] != first["digest"]


@given(st.randoms(use_true_random=False))
def test_order_of_the_input_does_not_matter(shuffler: random.Random) -> None:
    cluster = snapshot()
    shuffled = msgspec.structs.replace(
        cluster,
        **{
            field: tuple(shuffler.sample(items, len(items)))
            for field in ("nodes", "pods", "components")
            if (items := getattr(cluster, field))
        },
    )
    assert whole(shuffled) == whole(cluster)


def test_values_that_may_be_secret_are_not_in_it() -> None:
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": "TOKEN=secret", "a": "b"}
    plugin = component(annotations=annotations)
    found = whole(snapshot(components=(plugin,)))
    assert "secret" not in found
    assert '"a":"b"' in found


def test_only_resource_names_stay_of_an_environment_variable() -> None:
    plugin = template()
    container = dict(children(plugin, "spec", "containers")[0])
    container["env"] = [
        {"name": "CONFIG", "value": "key=secret resource=vendor.com/gpu other=vendor.com/gpux"},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    ]
    trimmed = trimmed_template({"spec": {"containers": [container]}}, ["vendor.com/gpu"])
    assert children(trimmed, "spec", "containers")[0]["env"] == [
        {"name": "CONFIG", "value": "vendor.com/gpu"},
        {"name": "NODE", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
    ]


def test_pods_without_devices_are_left_out() -> None:
    pods = (*snapshot().pods, workload("web", "n1", 0, requests={}))
    names = [
        text(item, "metadata", "name")
        for item in children(recorded(snapshot(pods=pods)), "objects")
    ]
    assert "train" in names
    assert "web" not in names


def test_former_revisions_keep_their_names_and_not_their_templates() -> None:
    found = children(recorded(snapshot()), "objects")
    revisions = [item for item in found if text(item, "kind") == "ControllerRevision"]
    assert {
        text(item, "metadata", "name"): bool(
            children(item, "data", "spec", "template", "spec", "containers")
        )
        for item in revisions
    } == {"dp-h0": False, "dp-h1": True}
