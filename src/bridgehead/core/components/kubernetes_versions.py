"""Which kubelets a plugin's version or setting is made for, as far as its makers say so.

Few facts, each with its source; of what is not here nothing is known. That a release was tested
with one version of Kubernetes, as several vendors write, is none of them: others work.

Plugin API: the kubelet spoke v1alpha up to 1.9 and speaks v1beta1 alone since 1.10
(``SupportedVersions`` of pkg/kubelet/apis/deviceplugin, kubernetes commit e64517cd74). NVIDIA's
tags 1.8 and 1.9 are each for the Kubernetes of their name alone, all others for 1.10 and later
(https://github.com/NVIDIA/k8s-device-plugin, README "Versioning"; issues 14, 30, 109, 156 there).

Container Device Interface: the field ``cdi_devices`` of the kubelet's plugin API came with 1.28
behind the gate DevicePluginCDIDevices, which is on since 1.29
(https://www.kubernetes.dev/resources/keps/4009/). NVIDIA's strategy ``cdi-cri`` hands devices out
by this field alone (README there, "DEVICE_LIST_STRATEGY").
"""

import re

import msgspec

from bridgehead.core.components.repositories import repository_matches
from bridgehead.core.model.image import ImageError, parse_image
from bridgehead.core.model.json import JsonValue
from bridgehead.core.model.version import version_in

Minor = tuple[int, int]
"""A minor version of Kubernetes, such as (1, 29)."""


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """Kubelets that will do: from ``first`` to ``last``, both included; None: no such bound.

    ``by_gate``: the version in which a gate of the kubelet decides, which nothing here tells.
    """

    words: str
    first: Minor
    last: Minor | None = None
    by_gate: Minor | None = None

    def holds(self, kubelet: str) -> bool | None:
        """Whether this kubelet will do; None where that cannot be told."""
        found = version_in(kubelet)
        if found is None or found[:2] == self.by_gate:
            return None
        return self.first <= found[:2] and (self.last is None or found[:2] <= self.last)


CDI_FIELD = Range(words="Kubernetes 1.29 or later", first=(1, 29), by_gate=(1, 28))
"""What a plugin needs that hands devices out by the field ``cdi_devices``."""

_NVIDIA = r"(^|/)nvidia/(cloud-native/)?k8s-device-plugin$"
_MATCHED = re.compile(r"v?1\.([89])(?=$|[-_])")


def kubelets_for(image: str) -> Range | None:
    """The kubelets that an image's version can register with; None where that is not known."""
    if not repository_matches(image, _NVIDIA):
        return None
    try:
        tag = parse_image(image).tag or ""
    except ImageError:
        return None
    if found := _MATCHED.match(tag):
        only = (1, int(found[1]))
        return Range(words=f"Kubernetes 1.{found[1]} alone", first=only, last=only)
    if version_in(tag) is None:
        return None
    return Range(words="Kubernetes 1.10 or later", first=(1, 10))


def only_by_cdi_field(strategy: JsonValue) -> bool:
    """Whether NVIDIA's device list strategy, a text or a list, is ``cdi-cri`` and nothing else."""
    listed = strategy if isinstance(strategy, list | tuple) else str(strategy or "").split(",")
    return {str(item).strip() for item in listed} == {"cdi-cri"}
