"""Names that KubeVirt permits, that machines ask for, and that likely mean one card."""

import pytest

from bridgehead.core.components.kubevirt import Permitted, asked_in, permitted_in, same_card
from bridgehead.core.model.json import JsonObject

DEVICES: JsonObject = {
    "gpus": [{"name": "a", "deviceName": "nvidia.com/A"}, "no object", {"name": "claimed"}],
    "hostDevices": [{"name": "b", "deviceName": "intel.com/b"}],
}
TEMPLATE: JsonObject = {"spec": {"domain": {"devices": DEVICES}}}


def test_every_list_of_permitted_devices_counts() -> None:
    section: JsonObject = {
        "pciHostDevices": [
            {"pciVendorSelector": "10DE:2571", "resourceName": "nvidia.com/2571"},
            {"resourceName": ""},
        ],
        "mediatedDevices": [{"resourceName": "nvidia.com/v", "externalResourceProvider": True}],
        "usb": [{"resourceName": "kubevirt.io/storage"}],
    }
    item: JsonObject = {
        "kind": "KubeVirt",
        "spec": {"configuration": {"permittedHostDevices": section}},
    }
    at = ("spec", "configuration", "permittedHostDevices")
    assert permitted_in(item) == (
        Permitted(
            name="nvidia.com/2571",
            path=(*at, "pciHostDevices", 0, "resourceName"),
            selector="10DE:2571",
        ),
        Permitted(
            name="nvidia.com/v", path=(*at, "mediatedDevices", 0, "resourceName"), external=True
        ),
        Permitted(name="kubevirt.io/storage", path=(*at, "usb", 0, "resourceName")),
    )


def test_no_section_is_not_the_same_as_an_empty_one() -> None:
    assert permitted_in({"kind": "KubeVirt", "spec": {"configuration": {}}}) is None
    empty: JsonObject = {"kind": "HyperConverged", "spec": {"permittedHostDevices": {}}}
    assert permitted_in(empty) == ()


@pytest.mark.parametrize(
    "item",
    [
        {"kind": "VirtualMachine", "spec": {"template": TEMPLATE}},
        {"kind": "VirtualMachineInstance", **TEMPLATE},
        {"kind": "VirtualMachineInstanceReplicaSet", "spec": {"template": TEMPLATE}},
        {
            "kind": "VirtualMachinePool",
            "spec": {"virtualMachineTemplate": {"spec": {"template": TEMPLATE}}},
        },
        {"kind": "VirtualMachineInstancetype", "spec": DEVICES},
        {"kind": "VirtualMachineClusterInstancetype", "spec": DEVICES},
    ],
)
def test_names_are_found_where_each_kind_has_them(item: JsonObject) -> None:
    found = asked_in(item)
    assert [it.name for it in found] == ["nvidia.com/A", "intel.com/b"]
    for it in found:
        value: object = item
        for step in it.path:
            value = value[step]  # type: ignore[index]
        assert value == it.name


@pytest.mark.parametrize(
    ("name", "selector", "offered"),
    [
        ("GA106GL_RTX_A2000_12GB", "10DE:2571", "2571"),
        ("GA106GL_RTX_A2000_12GB", "10de:257A", "257a"),
        ("2571", "10DE:2571", "GA106GL_RTX_A2000_12GB"),
        ("TU104GL_T4", "", "TU104GL_TESLA_T4"),
        ("GA106_GEFORCE_RTX_3060", "", "GA106_GEFORCE_RTX_3060_LITE_HASH_RATE"),
        ("GRID_A10-12Q", "", "NVIDIA_A10-12Q"),
    ],
)
def test_one_card_goes_by_several_names(name: str, selector: str, offered: str) -> None:
    assert same_card(f"nvidia.com/{name}", selector, f"nvidia.com/{offered}")


@pytest.mark.parametrize(
    ("name", "selector", "offered"),
    [
        ("nvidia.com/GA106GL_RTX_A2000_12GB", "10DE:2571", "nvidia.com/2531"),
        ("nvidia.com/GA106GL_RTX_A2000_12GB", "", "nvidia.com/2571"),
        ("nvidia.com/GA102GL_A10", "", "nvidia.com/GA102GL_RTX_A6000"),
        ("nvidia.com/TU104GL_T4", "", "nvidia.com/gpu"),
        ("nvidia.com/2571", "", "nvidia.com/hostdev"),
        ("nvidia.com/GRID_A10-12Q", "", "nvidia.com/NVIDIA_A10-24Q"),
        ("nvidia.com/TU104GL_T4", "", "nvidia.com/TU104GL_T4"),
        ("amd.com/TU104GL_T4", "", "nvidia.com/TU104GL_TESLA_T4"),
    ],
)
def test_other_cards_and_other_things_are_not_it(name: str, selector: str, offered: str) -> None:
    assert not same_card(name, selector, offered)
