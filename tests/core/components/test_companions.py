"""Writers of labels, operands and machines with accelerators are known by their names."""

import pytest

from bridgehead.core.components.accelerated_types import accelerated
from bridgehead.core.components.label_writers import writer_of, writes, writes_labels
from bridgehead.core.components.operands import Operand, operand_of
from bridgehead.core.model.json import JsonObject, JsonValue


def template(image: str, **container: JsonValue) -> JsonObject:
    return {"spec": {"containers": [{"name": "c", "image": image, **container}]}}


@pytest.mark.parametrize(
    ("label", "name"),
    [
        ("feature.node.kubernetes.io/pci-10de.present", "Node Feature Discovery"),
        ("nvidia.com/gpu.present", "Node Feature Discovery"),
        ("nvidia.com/gpu.product", "GPU Feature Discovery"),
        ("amd.com/gpu.vram", "AMD's node labeller"),
        ("example.com/pool", ""),
    ],
)
def test_who_writes_a_label(label: str, name: str) -> None:
    writer = writer_of(label)
    assert (writer.name if writer else "") == name


def test_a_program_tells_a_writer_in_an_image_that_holds_others_too() -> None:
    image = "nvcr.io/nvidia/k8s-device-plugin:v0.17.1"
    gfd = writer_of("nvidia.com/gpu.product")
    assert gfd is not None
    assert writes(template(image, command=["gpu-feature-discovery"]), gfd)
    assert not writes_labels(template(image, command=["nvidia-device-plugin"]))
    assert writes_labels(template("registry.example/mirror/node-feature-discovery:v0.17.0"))


@pytest.mark.parametrize(
    ("name", "image", "operand"),
    [
        ("x", "nvcr.io/nvidia/driver:570.86.15-ubuntu24.04", Operand.DRIVER),
        ("x", "nvcr.io/nvidia/k8s/container-toolkit:v1.17.4-ubi8", Operand.TOOLKIT),
        ("x", "gke.gcr.io/nvidia-driver-installer:1", Operand.DRIVER),
        ("csi-driver", "registry.example/csi/node:1", None),
        ("x", "nvcr.io/nvidia/k8s-device-plugin:v0.17.1", None),
    ],
)
def test_operands_by_their_images(name: str, image: str, operand: Operand | None) -> None:
    assert operand_of(name, template(image)) is operand


def test_a_privileged_pod_named_after_an_operand_is_one() -> None:
    privileged = template("registry.example/a:1", securityContext={"privileged": True})
    assert operand_of("gpu-driver-install", privileged) is Operand.DRIVER
    assert operand_of("node-exporter", privileged) is None
    assert operand_of("gpu-dra-driver", privileged) is None
    assert operand_of("csi-driver-node", privileged) is None


@pytest.mark.parametrize(
    "kind", ["p5.48xlarge", "trn2.48xlarge", "a3-highgpu-8g", "Standard_NC24ads_A100_v4"]
)
def test_machines_with_accelerators(kind: str) -> None:
    assert accelerated(kind)


@pytest.mark.parametrize("kind", ["m5.large", "c7gn.16xlarge", "n2-standard-8", "Standard_D8s_v5"])
def test_machines_without(kind: str) -> None:
    assert not accelerated(kind)
