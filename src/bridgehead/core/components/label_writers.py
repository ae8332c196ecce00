"""DaemonSets that label nodes by what they find there: other workloads are placed by their labels.

Images: https://kubernetes-sigs.github.io/node-feature-discovery/ (Helm chart values) and
https://github.com/NVIDIA/k8s-device-plugin (GPU Feature Discovery, whose binary is in the plugin's
image since v0.15 and is told by its command); https://github.com/ROCm/k8s-device-plugin (node
labeller).
"""

import re

from bridgehead.core.model.component import images
from bridgehead.core.model.json import JsonObject, canonical, child, children

_IMAGES = re.compile(
    r"(^|/)(node-feature-discovery|gpu-feature-discovery|k8s-node-labeller|amdgpu-node-labeller)\b",
    re.IGNORECASE,
)
_COMMANDS = re.compile(r"\b(gpu-feature-discovery|nfd-worker|nfd-master|node-labeller)\b")


def writes_labels(template: JsonObject) -> bool:
    """Whether pods of the template are there to label nodes."""
    if any(_IMAGES.search(image) for image in images(template).values()):
        return True
    started = [
        {key: item[key] for key in ("command", "args") if key in item}
        for item in children(child(template, "spec"), "containers")
    ]
    return bool(_COMMANDS.search(canonical(started)))
