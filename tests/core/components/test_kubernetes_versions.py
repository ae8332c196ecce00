"""Which kubelets a version is for, and where nobody has said so."""

import pytest

from bridgehead.core.components.kubernetes_versions import (
    CDI_FIELD,
    kubelets_for,
    only_by_cdi_field,
)


@pytest.mark.parametrize(
    ("image", "kubelet", "holds"),
    [
        ("nvidia/k8s-device-plugin:1.8", "v1.8.4", True),
        ("nvidia/k8s-device-plugin:1.8", "v1.9.0", False),
        ("mirror.example/nvidia/k8s-device-plugin:v1.9", "v1.10.0", False),
        ("nvidia/k8s-device-plugin:1.9-centos7", "v1.9.11", True),
        ("nvidia/k8s-device-plugin:1.10", "v1.33.1", True),
        ("nvidia/k8s-device-plugin:1.11", "v1.9.1", False),
        ("nvidia/k8s-device-plugin:1.0.0-beta6", "v1.9.1", False),
        ("nvcr.io/nvidia/k8s-device-plugin:v0.17.1", "v1.10.0", True),
        ("nvcr.io/nvidia/k8s-device-plugin:v1.9.0", "v1.33.1", True),
        ("nvidia/k8s-device-plugin:1.9", "", None),
    ],
)
def test_a_plugin_is_for_the_kubelets_that_speak_its_api(
    image: str, kubelet: str, holds: bool | None
) -> None:
    found = kubelets_for(image)
    assert found is not None
    assert found.holds(kubelet) is holds


@pytest.mark.parametrize(
    "image",
    [
        "nvidia/k8s-device-plugin",
        "nvidia/k8s-device-plugin:latest",
        "nvidia/k8s-device-plugin:0a1b2c3d",
        "gke.gcr.io/nvidia-gpu-device-plugin:1.9",
        "rocm/k8s-device-plugin:1.9",
        "No Image",
    ],
)
def test_of_other_images_nothing_is_known(image: str) -> None:
    assert kubelets_for(image) is None


@pytest.mark.parametrize(
    ("kubelet", "holds"), [("v1.27.16", False), ("v1.28.0", None), ("v1.29.0-eks-1", True)]
)
def test_the_cdi_field_is_behind_a_gate_for_one_version(kubelet: str, holds: bool | None) -> None:
    assert CDI_FIELD.holds(kubelet) is holds


@pytest.mark.parametrize(
    ("strategy", "alone"),
    [
        ("cdi-cri", True),
        ([" cdi-cri"], True),
        ("cdi-annotations,cdi-cri", False),
        (["envvar", "cdi-cri"], False),
        ("envvar", False),
        ("", False),
        (None, False),
        ([], False),
    ],
)
def test_only_the_strategy_that_stands_alone_rests_on_the_field(
    strategy: str | list[str] | None, alone: bool
) -> None:
    assert only_by_cdi_field(strategy) is alone
