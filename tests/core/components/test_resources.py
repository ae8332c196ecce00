"""What a plugin offers is inferred from where its pods are; the inference says how sure it is."""

import msgspec

from bridgehead.core.components.resources import Offered, offered_by, pods_of
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.device import Offer
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod

PATH = "/var/lib/kubelet/device-plugins"


def plugin(name: str, image: str = "example.com/plugin:1", env: str = "") -> Component:
    container: JsonObject = {
        "name": "plugin",
        "image": image,
        "env": [{"name": "RESOURCE", "value": env}] if env else [],
        "volumeMounts": [{"name": "d", "mountPath": PATH}],
    }
    volumes: list[JsonObject] = [{"name": "d", "hostPath": {"path": PATH}}]
    return Component(
        namespace="ns",
        name=name,
        uid=f"uid-{name}",
        generation=1,
        observed_generation=1,
        template={"spec": {"containers": [container], "volumes": volumes}},
        strategy={},
        selector={},
    )


def pod(component: Component, node: str) -> Pod:
    return Pod(
        namespace="ns",
        name=f"{component.name}-{node}",
        uid=f"{component.name}-{node}",
        node=node,
        owner_kind="DaemonSet",
        owner_name=component.name,
        owner_uid=component.uid,
        phase="Running",
    )


def node(name: str, **offers: tuple[int, int]) -> Node:
    return Node(
        name=name,
        offers={
            key.replace("__", "/").replace("_", "."): Offer(*pair) for key, pair in offers.items()
        },
    )


def test_a_family_claims_its_names_that_have_devices() -> None:
    item = plugin("dp", "nvidia/k8s-device-plugin:1")
    nodes = [node("n1", nvidia_com__gpu=(8, 8), nvidia_com__mig=(0, 0), amd_com__gpu=(1, 1))]
    found = offered_by([item], nodes, [pod(item, "n1")])
    assert found[item.ref] == Offered(
        ("nvidia.com/gpu",), "names of the nvidia family on nodes with its pods", Confidence.HIGH
    )


def test_a_family_without_any_device_left_is_only_a_guess() -> None:
    item = plugin("dp", "nvidia/k8s-device-plugin:1")
    found = offered_by([item], [node("n1", nvidia_com__gpu=(0, 0))], [pod(item, "n1")])
    assert found[item.ref].resources == ("nvidia.com/gpu",)
    assert found[item.ref].confidence is Confidence.LOW


def test_an_unknown_plugin_gets_what_is_only_where_its_pods_are() -> None:
    item = plugin("dp")
    nodes = [
        node("n1", own_com__x=(2, 2), all_com__y=(1, 1)),
        node("n2", own_com__x=(2, 0), all_com__y=(1, 1)),
    ]
    found = offered_by([item], nodes, [pod(item, "n1")])[item.ref]
    assert (found.resources, found.confidence) == (("own.com/x",), Confidence.MEDIUM)


def test_a_name_in_the_template_is_sure_and_leaves_the_rest_to_others() -> None:
    first, second = plugin("a", env="a.com/x"), plugin("b")
    nodes = [node("n1", a_com__x=(1, 1), b_com__y=(1, 1), a_com__xy=(0, 0)), node("n2")]
    found = offered_by([first, second], nodes, [pod(first, "n1"), pod(second, "n1")])
    assert found[first.ref].resources == ("a.com/x",)
    assert found[first.ref].confidence is Confidence.HIGH
    assert found[second.ref].resources == ("b.com/y",)
    assert found[second.ref].confidence is Confidence.MEDIUM


def test_two_unknown_plugins_on_the_same_nodes_cannot_be_told_apart() -> None:
    first, second = plugin("a"), plugin("b")
    found = offered_by(
        [first, second], [node("n1", a_com__x=(1, 1))], [pod(first, "n1"), pod(second, "n1")]
    )
    assert {offer.confidence for offer in found.values()} == {Confidence.LOW}
    assert "daemonset/ns/b" in found[first.ref].how


def test_what_another_family_claims_is_not_left_over() -> None:
    known, unknown = plugin("a", "rocm/k8s-device-plugin"), plugin("b")
    found = offered_by(
        [known, unknown],
        [node("n1", amd_com__gpu=(1, 1), b_com__y=(1, 1))],
        [pod(known, "n1"), pod(unknown, "n1")],
    )
    assert found[unknown.ref].resources == ("b.com/y",)


def test_what_feature_discovery_publishes_is_nobodys() -> None:
    item = plugin("dp")
    published = Node(
        name="n1",
        offers={"feature.node.kubernetes.io/epc": Offer(1, 1), "v.com/own": Offer(1, 1)},
        annotations={"nfd.node.kubernetes.io/extended-resources": "epc, v.com/own"},
    )
    assert offered_by([item], [published], [pod(item, "n1")])[item.ref].resources == ()


def test_a_workload_without_the_directory_is_no_plugin() -> None:
    other = Component(
        namespace="ns",
        name="agent",
        uid="u",
        generation=1,
        observed_generation=1,
        template={"spec": {}},
        strategy={},
        selector={},
    )
    assert offered_by([other], [node("n1", a_com__x=(1, 1))], [pod(other, "n1")]) == {}


def test_pods_belong_by_uid_and_in_records_without_uids_by_name() -> None:
    item = plugin("dp")
    mine = pod(item, "n1")
    namesake = Pod(
        namespace="ns", name="x", uid="x", owner_kind="DaemonSet", owner_name="dp", owner_uid="old"
    )
    recorded = Pod(namespace="ns", name="y", uid="", owner_kind="DaemonSet", owner_name="dp")
    assert pods_of(item, [mine, namesake, recorded]) == (mine, recorded)


def test_a_name_that_only_selects_nodes_is_not_named_in_the_template() -> None:
    item = plugin("dp", env="example.com/multi")
    spec = {**item.template["spec"], "nodeSelector": {"example.com/gpu": "true"}}  # type: ignore[dict-item]
    item = msgspec.structs.replace(item, template={"spec": spec})
    nodes = [node("n1", example_com__gpu=(4, 4), example_com__multi=(2, 2))]
    assert offered_by([item], nodes, [pod(item, "n1")])[item.ref].resources == (
        "example.com/multi",
    )
