"""What prepares nodes, by its words and images, and what makes a plugin wait for it."""

from typing import Any

import pytest

from bridgehead.core.components.node_preparation import (
    AMD_DRIVER,
    VIRTUAL_FUNCTIONS,
    may_end_instead,
    needed_by,
    prepares,
    said_by,
)

SRIOV = "ghcr.io/k8snetworkplumbingwg/sriov-network-device-plugin:v3.9.0"


def template(image: str, *, init: bool = False, **more: Any) -> dict[str, Any]:
    main = {"name": "main", "image": image, **more}
    first = {"initContainers": [{"name": "first", "image": "tools:1"}]} if init else {}
    return {"spec": {"containers": [main], **first}}


@pytest.mark.parametrize(
    ("script", "makes"),
    [
        ("echo 8 > /sys/class/net/ens1/device/sriov_numvfs", True),
        ('echo 8 >"/sys/bus/pci/devices/$PF/sriov_numvfs"', True),
        ("echo 8 | tee -a /sys/class/net/ens1/device/sriov_numvfs", True),
        ("cat /sys/class/net/ens1/device/sriov_numvfs", False),
        ("echo 8 > /sys/class/net/ens1/device/sriov_numvfs_saved", False),
        ("echo 8 > /sys/class/net/ens1/device/sriov_numvfs; kubectl label node n a=b", False),
        ("", False),
    ],
)
def test_virtual_functions_are_made_by_writing_their_number(script: str, makes: bool) -> None:
    shell = template("tools:1", command=["sh", "-c"], args=[script])
    assert prepares(VIRTUAL_FUNCTIONS, "any", shell, said_by(shell)) is makes


@pytest.mark.parametrize(
    ("name", "image", "installs"),
    [
        ("driver", "registry.example/rocm/amdgpu-driver:30", True),
        ("driver", "nvcr.io/nvidia/driver:580", False),
        ("amd-labels", "docker.io/rocm/k8s-node-labeller:1", False),
    ],
)
def test_only_a_driver_of_amd_prepares_for_amds_plugin(
    name: str, image: str, installs: bool
) -> None:
    assert prepares(AMD_DRIVER, name, template(image), "") is installs


@pytest.mark.parametrize(
    "held",
    [
        template(SRIOV, init=True),
        template(SRIOV, command=["/bin/bash", "-c", "wait-for-vfs && exec sriovdp"]),
        template(SRIOV, livenessProbe={"exec": {"command": ["test-vfs"]}}),
    ],
)
def test_a_plugin_that_may_be_held_back_needs_nothing(held: dict[str, Any]) -> None:
    assert needed_by(held) is None


def test_a_plugin_that_looks_once_needs_its_devices_first() -> None:
    assert needed_by(template(SRIOV)) is VIRTUAL_FUNCTIONS
    assert needed_by(template(SRIOV, command=["sriovdp"])) is VIRTUAL_FUNCTIONS
    assert needed_by(template("rocm/k8s-device-plugin:1.25.2.8")) is AMD_DRIVER
    assert needed_by(template("mellanox/k8s-rdma-shared-dev-plugin:v1.5.3")) is None


@pytest.mark.parametrize(
    ("image", "may"),
    [
        ("rocm/k8s-device-plugin:1.25.2.8", False),
        ("rocm/k8s-device-plugin:1.31.0.9", True),
        ("rocm/k8s-device-plugin", True),
        (SRIOV, False),
    ],
)
def test_a_release_of_amd_that_may_be_newer_is_not_judged(image: str, may: bool) -> None:
    assert may_end_instead(template(image)) is may
