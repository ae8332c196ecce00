"""Pods that are there only to try whether a device can be used.

The GPU Operator's validator binds such a pod to its node past the scheduler, so that it comes to
nodes that are full (NVIDIA/gpu-operator#480, #233); runs of ours make probes.
"""

import re

from bridgehead.core.model.pod import Pod

_WORDS = re.compile(r"(^|[-_./])(validat(or|ion)|verif(ier|ication|y)|probe|smoke-?test)([-_.]|$)")


def is_verification(pod: Pod) -> bool:
    """Whether a pod that asks for devices does so to verify something, by its names and labels."""
    names = (pod.name, pod.owner_name, pod.labels.get("app", ""))
    named = any(_WORDS.search(name) for name in names)
    return bool(pod.requests) and (pod.ours or named)
