"""What Intel's FPGA plugin offers by mode, and what its webhook translates names into."""

import pytest

from bridgehead.core.components.intel_fpga import (
    mapping_of,
    mode_by_name,
    mode_of,
    operated_mode,
)
from bridgehead.core.model.json import JsonObject

INTERFACE = "69528db6eb31577a8c3668f9faa081f6"
FUNCTION = "d8424dc4a4a3c413f89e433683f9040b"


def _function(mode: str) -> JsonObject:
    return {
        "kind": "AcceleratorFunction",
        "metadata": {"name": "nlb0", "namespace": "work"},
        "spec": {"afuId": FUNCTION, "interfaceId": INTERFACE, "mode": mode},
    }


def _template(*arguments: str, image: str = "intel/intel-fpga-plugin:0.32.0") -> JsonObject:
    return {"spec": {"containers": [{"name": "p", "image": image, "args": list(arguments)}]}}


@pytest.mark.parametrize(
    ("mode", "resource"),
    [
        # The example of the webhook's README.
        ("af", "fpga.intel.com/af-695.d84.aVKNtusxV3qMNmj5-qCB9thCTcSko8QT-J5DNoP5BAs"),
        ("region", f"fpga.intel.com/region-{INTERFACE}"),
    ],
)
def test_a_function_is_translated_by_its_mode(mode: str, resource: str) -> None:
    found = mapping_of(_function(mode))
    assert found is not None
    assert (found.namespace, found.name, found.mode, found.resource) == (
        "work",
        "nlb0",
        mode,
        resource,
    )


def test_a_region_is_for_workloads_that_program_it_themselves() -> None:
    found = mapping_of({"kind": "FpgaRegion", "spec": {"interfaceId": INTERFACE}})
    assert found is not None
    assert (found.mode, found.resource) == ("regiondevel", f"fpga.intel.com/region-{INTERFACE}")


@pytest.mark.parametrize(
    "item",
    [
        {"kind": "ConfigMap"},
        {"kind": "FpgaRegion", "spec": {}},
        {"kind": "AcceleratorFunction", "spec": {"afuId": FUNCTION, "interfaceId": INTERFACE}},
        {"kind": "AcceleratorFunction", "spec": []},
    ],
)
def test_what_translates_nothing_is_no_mapping(item: JsonObject) -> None:
    assert mapping_of(item) is None


def test_the_mode_is_an_argument_and_af_without_one() -> None:
    assert mode_of(_template()) == "af"
    assert mode_of(_template("-mode=region")) == "region"
    assert mode_of(_template("--mode", "regiondevel")) == "regiondevel"
    assert mode_of(_template("-mode=other")) == ""
    assert mode_of(_template(image="intel/intel-gpu-plugin:0.32.0")) is None


def test_the_operator_is_told_the_mode_in_its_object() -> None:
    assert operated_mode({"kind": "FpgaDevicePlugin", "spec": {"mode": "region"}}) == "region"
    assert operated_mode({"kind": "FpgaDevicePlugin"}) == "af"
    assert operated_mode({"kind": "GpuDevicePlugin"}) is None


def test_a_name_tells_the_modes_that_may_offer_it() -> None:
    assert mode_by_name(f"fpga.intel.com/af-{FUNCTION}") == ("af",)
    assert mode_by_name(f"fpga.intel.com/region-{INTERFACE}") == ("region", "regiondevel")
    crashed = "f" * 32
    for other in ("nlb0", f"region-{crashed}", "af-"):
        assert mode_by_name(f"fpga.intel.com/{other}") == ()
    assert mode_by_name(f"gpu.intel.com/region-{INTERFACE}") == ()
