"""The label that a node has instead of the one that is asked for."""

import pytest

from bridgehead.core.inventory.nearest_label import pci_vendors, same_in_another_shape
from bridgehead.core.inventory.placement import Expression

PCI = "feature.node.kubernetes.io/pci-"


@pytest.mark.parametrize(
    ("asked", "labels", "found"),
    [
        pytest.param(
            Expression(f"{PCI}10de.present", "In", ("true",)),
            {f"{PCI}0300_10de.present": "true", f"{PCI}0300_1a03.present": "true"},
            (f"{PCI}0300_10de.present=true",),
            id="class and vendor for vendor",
        ),
        pytest.param(
            Expression(f"{PCI}0302_10de.present", "Exists"),
            {f"{PCI}0300_10de_2330.present": "true"},
            (f"{PCI}0300_10de_2330.present=true",),
            id="vendor shared, class not",
        ),
        pytest.param(
            Expression(f"{PCI}0300_10de.present", "Exists"),
            {f"{PCI}0300_1002.present": "true"},
            (),
            id="class shared, vendor not",
        ),
        pytest.param(
            Expression("beta.kubernetes.io/instance-type", "In", ("p5",)),
            {"node.kubernetes.io/instance-type": "p5"},
            ("node.kubernetes.io/instance-type=p5",),
            id="another domain",
        ),
        pytest.param(
            Expression("beta.kubernetes.io/instance-type", "In", ("p4",)),
            {"node.kubernetes.io/instance-type": "p5"},
            (),
            id="another domain, and another value",
        ),
        pytest.param(
            Expression("nvidia.com/gpu.present", "In", ("true",)),
            {"nvidia.com/gpu.presnt": "true"},
            ("nvidia.com/gpu.presnt=true",),
            id="a letter is missing",
        ),
        pytest.param(
            Expression("nvidia.com/gpu.present", "In", ("true",)),
            {"nvidia.com/gpu.product": "true", "nvidia.com/gpu.count": "8"},
            (),
            id="names of the same domain that mean something else",
        ),
        pytest.param(
            Expression("pool-1", "Exists"), {"pool-2": "x"}, (), id="another number, another thing"
        ),
        pytest.param(
            Expression("gpu", "In", ("true",)), {"gpu": "Yes"}, ("gpu=Yes",), id="another yes"
        ),
        pytest.param(Expression("gpu", "In", ("true",)), {"gpu": "false"}, (), id="a no"),
        pytest.param(
            Expression("gpu", "NotIn", ("true",)), {"x/gpu": "true"}, (), id="not asked for"
        ),
    ],
)
def test_a_label_that_says_the_same_is_found_and_no_other(
    asked: Expression, labels: dict[str, str], found: tuple[str, ...]
) -> None:
    assert same_in_another_shape(asked, labels) == found


def test_a_device_that_is_not_present_has_no_vendor() -> None:
    labels = {f"{PCI}0300_10de.present": "true", f"{PCI}0300_1002.present": "false", "a": "true"}
    assert pci_vendors(labels) == {"0300", "10de"}
