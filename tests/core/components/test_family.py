"""Families are known by their images, faults by their log lines."""

import re

import pytest

from bridgehead.core.components import generic
from bridgehead.core.components.family import FAMILIES, family_of, family_of_images, known_fault


@pytest.mark.parametrize(
    ("image", "family"),
    [
        ("nvcr.io/nvidia/k8s-device-plugin:v0.17.0", "nvidia"),
        ("mirror.local:5000/nvidia/k8s-device-plugin@sha256:" + "0" * 64, "nvidia"),
        ("rocm/k8s-device-plugin", "amd"),
        ("docker.io/intel/intel-gpu-plugin:0.32.0", "intel"),
        ("registry.local/intel-qat-plugin:1", "intel"),
        ("ghcr.io/k8snetworkplumbingwg/sriov-network-device-plugin:v3.9.0", "sriov"),
        ("example.com/k8s-device-plugin:1", "generic"),
        ("example.com/notnvidia/k8s-device-plugin:1", "generic"),
        ("Not An Image", "generic"),
    ],
)
def test_family_is_known_by_the_end_of_the_image_path(image: str, family: str) -> None:
    assert family_of_images([image]).name == family


def test_any_container_tells_the_family() -> None:
    template = {
        "spec": {
            "initContainers": [{"name": "wait", "image": "busybox"}],
            "containers": [{"name": "plugin", "image": "amdgpu-device-plugin:1"}],
        }
    }
    assert family_of(template).name == "amd"


def test_families_claim_their_own_names_only() -> None:
    claims = {family.name: family.offers("nvidia.com/gpu") for family in FAMILIES}
    assert {name for name, claimed in claims.items() if claimed} == {"nvidia", "hami"}
    assert not generic.FAMILY.offers("nvidia.com/gpu")


FAULTS = {
    "wrong directory": "dial unix /other/kubelet.sock: connect: no such file or directory",
    "refused by SELinux": "listen unix /p/x.sock: bind: permission denied",
    "registration server gone": "dial unix /p/kubelet.sock: connect: connection refused",
    "socket taken": "listen unix /p/x.sock: bind: address already in use",
    "API versions": "rpc error: code = Unimplemented desc = unknown service v1beta1.Registration",
    "registration": "could not register device plugin for 'vendor.com/gpu': timed out",
    "size": "ResourceExhausted desc = grpc: received message larger than max (5 vs. 4)",
    "bad name": 'the ResourceName "x" is invalid',
    "no library": "E1130 10:00:00.0 1 start.go:47] failed to initialise: driver library not found",
    "monitor": "E1130 10:00:00.0 1 run.go:74] device monitor stopped unexpectedly",
    "options": "failed to answer options of 'vendor.com/gpu': injected",
    "no driver": "2026/01/01 00:00:00 failed to discover devices: no such directory",
    "no device node": "cannot initialise: open /dev/card0: no such file or directory",
    "no device node, in words": "device node /dev/card0 does not exist",
    "empty pool": "no devices in device pool for 'vendor.com/gpu'",
    "waits": "no devices found, waiting indefinitely",
    "unhealthy": "'vendor.com/gpu' device marked unhealthy: dev-0",
    "allocate": "failed to allocate devices of 'vendor.com/gpu': injected",
    "API server": "dial tcp 10.96.0.1:443: i/o timeout",
    "permission": 'nodes "n1" is forbidden: User "system:serviceaccount:ns:plugin" cannot get',
    "inotify": "failed to create FS watcher: too many open files",
    "architecture": "exec /plugin: exec format error",
    "arguments": "flag provided but not defined: -new",
    "sysfs": "open /sys/class/x: permission denied",
    "panic": "panic: runtime error: index out of range",
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_known_fault_is_found_with_its_line(case: str) -> None:
    line = FAULTS[case]
    found = known_fault("generic", f"starting\n{line}\nlater\n")
    assert found is not None
    assert (found.line, bool(found.cause)) == (line, True)


@pytest.mark.parametrize("pattern", generic.FAULTS, ids=lambda pattern: pattern.cause)
def test_every_shared_pattern_has_a_line_in_these_tests(pattern: object) -> None:
    regex = pattern.regex  # type: ignore[attr-defined]
    assert any(re.search(regex, line, re.IGNORECASE) for line in FAULTS.values())


QUIET = """starting device plugin, version v2
Registered device plugin for 'vendor.com/gpu' with Kubelet
kubelet.sock created, restarting device plugin for 'vendor.com/gpu'
checkpoint is not found
No MIG devices found. Falling back to mig.strategy=none
'vendor.com/gpu' device marked healthy: dev-0
GPU scan update: 0->1 'i915' resources found
tee: /dev/tty: No such device or address
dial unix /dev/log: no such file or directory
allocated devices of 'vendor.com/gpu': dev-0
received signal, shutting down"""


@pytest.mark.parametrize("family", ["generic", "nvidia", "amd", "intel", "unheard-of"])
def test_ordinary_lines_are_no_fault(family: str) -> None:
    assert known_fault(family, QUIET) is None


def test_a_fault_that_a_later_line_takes_back_is_none() -> None:
    refused = FAULTS["registration server gone"]
    success = "Registered device plugin for 'vendor.com/gpu' with Kubelet"
    assert known_fault("generic", f"{refused}\n{success}") is None
    assert known_fault("generic", f"{success}\n{refused}") is not None
    unhealthy = FAULTS["unhealthy"]
    assert known_fault("generic", f"{unhealthy}\n{success}") is not None


def test_a_familys_own_faults_are_looked_for_in_its_logs_only() -> None:
    line = "Detected non-NVML platform: could not load NVML library"
    assert known_fault("nvidia", line) is not None
    assert known_fault("amd", line) is None


def test_no_log_has_no_fault() -> None:
    assert known_fault("nvidia", "") is None
