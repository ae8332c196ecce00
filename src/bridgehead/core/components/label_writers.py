"""Who writes the node labels that plugins select: a plugin can come no further than its writer.

Sources: https://nfd.sigs.k8s.io/usage/features, https://github.com/NVIDIA/k8s-device-plugin (GPU
Feature Discovery, whose program is in the plugin's image since v0.15),
https://github.com/ROCm/k8s-device-plugin (node labeller).
"""

import re

import msgspec

from bridgehead.core.components.repositories import repository_matches
from bridgehead.core.model.json import JsonObject, child, children, text


class LabelWriter(msgspec.Struct, frozen=True):
    """A writer of labels: their beginnings, images that hold nothing else, and its programs."""

    name: str
    labels: tuple[str, ...]
    images: str
    programs: str


NFD = LabelWriter(
    name="Node Feature Discovery",
    labels=("feature.node.kubernetes.io/", "intel.feature.node.kubernetes.io/", "gpu.intel.com/"),
    images=r"(^|/)node-feature-discovery\b",
    programs=r"\bnfd-(worker|master)\b",
)
WRITERS = (
    NFD,
    LabelWriter(
        name="GPU Feature Discovery",
        labels=("nvidia.com/gpu.", "nvidia.com/mig", "nvidia.com/cuda.", "nvidia.com/gfd."),
        images=r"(^|/)gpu-feature-discovery\b",
        programs=r"\bgpu-feature-discovery\b",
    ),
    LabelWriter(
        name="AMD's node labeller",
        labels=("amd.com/gpu.", "beta.amd.com/gpu."),
        images=r"(^|/)(k8s|amdgpu)-node-labell?er\b",
        programs=r"\bnode-labell?er\b|:labell?er-",
    ),
)

OPERATOR_LABELS = ("nvidia.com/gpu.present", "nvidia.com/gpu.deploy.")


def writer_of(label: str) -> LabelWriter | None:
    """Who writes a label, by its name; None where nobody is known to.

    ``nvidia.com/gpu.present`` and ``nvidia.com/gpu.deploy.*`` are the GPU Operator's own, which it
    writes where Node Feature Discovery has found a card.
    """
    if label.startswith(OPERATOR_LABELS):
        return NFD
    return next((item for item in WRITERS if label.startswith(item.labels)), None)


def writes_labels(template: JsonObject) -> bool:
    """Whether pods of the template are there to label nodes."""
    return any(writes(template, writer) for writer in WRITERS)


def writes(template: JsonObject, writer: LabelWriter) -> bool:
    """Whether pods of the template are parts of this writer."""
    spec = child(template, "spec")
    return any(_is_of(item, writer) for item in children(spec, "containers"))


def _is_of(container: JsonObject, writer: LabelWriter) -> bool:
    image = text(container, "image")
    listed = (child(container, "command"), child(container, "args"))
    words = [str(word) for part in listed if isinstance(part, list) for word in part]
    return repository_matches(image, writer.images) or any(
        re.search(writer.programs, said) for said in (image, *words)
    )
