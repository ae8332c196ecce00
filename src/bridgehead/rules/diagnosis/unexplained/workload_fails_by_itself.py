"""A workload with devices fails for reasons of its own.

Finds: pods that were given their devices and whose container then ended with an error, or cannot be
made for want of its image or of something that it refers to, on nodes that offer all their devices.

Why: a program that crashes on a node with devices looks like a fault of the devices, and is none:
restarting plugins or draining nodes for it only harms others.

Sure: the node offers what it should, the kubelet took the pod up, which it does only after the
devices were handed out, and the pod's log speaks of no device.

Do: nothing about devices; read the pod's own log, and ask its owner.
"""

import re
from collections.abc import Iterable

from bridgehead.core.components.workload_logs import WORKLOAD_PATTERNS
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import devices_key, pod_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.pod import Container, Pod

_OWN = frozenset(
    {
        *("ErrImagePull", "ImagePullBackOff", "InvalidImageName"),
        *("CreateContainerConfigError", "CrashLoopBackOff"),
    }
)
"""Reasons to wait that have nothing to do with devices, where the node's devices are well."""
_OF_DEVICES = re.compile(
    r"nvml|cuda|nvidia|rocm|hip(error)?\b|/dev/|device|driver|gpu|cdi|rdma|infiniband|vfio",
    re.IGNORECASE,
)
_LAST = 20
"""Lines at the end of a log in which a program says why it ends."""


def _check(scene: Scene) -> Iterable[Cause]:
    keys = {item.key for item in scene.symptoms}
    plugins = {pod.ref for plugin in scene.plugins for pod in plugin.pods}
    for pod in scene.observed.snapshot.pods:
        if pod_key(pod) not in keys or pod.ref in plugins or not (pod.requests and pod.admitted):
            continue
        if any(devices_key(pod.node, name) in keys for name in pod.requests):
            continue
        container = next((item for item in pod.containers if _fails(item)), None)
        if container is not None and not _speaks_of_devices(scene, pod):
            yield _cause(scene, pod, container)


def _fails(item: Container) -> bool:
    if item.state == "waiting":
        return item.reason in _OWN
    return item.state == "terminated" and bool(item.exit_code) and item.reason != "StartError"


def _speaks_of_devices(scene: Scene, pod: Pod) -> bool:
    """Whether anything that is said of the pod might be about devices: then it is not judged."""
    told = [item.message for item in pod.containers] + [
        item.last_message for item in pod.containers
    ]
    told += [event.message for event in scene.events(pod) if event.type != "Normal"]
    lines = [line for _, log in scene.observed.logs_of(pod) for line in log.lines[-_LAST:]]
    known = any(
        re.search(it.regex, line, re.IGNORECASE) for it in WORKLOAD_PATTERNS for line in lines
    )
    return known or any(_OF_DEVICES.search(text) for text in (*told, *lines))


def _cause(scene: Scene, pod: Pod, container: Container) -> Cause:
    how = container.reason or "Error"
    code = container.exit_code if container.exit_code is not None else container.last_exit_code
    ended = f", exit code {code}" if code is not None else ""
    said = Evidence(f"status of pod {pod.ref}", f"container {container.name}: {how}{ended}")
    offers = [
        Evidence(f"status of node {pod.node}", f"{name} {offer}")
        for name in sorted(pod.requests)
        if pod.node in scene.nodes and (offer := scene.nodes[pod.node].offer(name)) is not None
    ]
    return Cause(
        message=f"pod {pod.ref} fails by itself ({how}{ended}); its devices were handed out",
        blame=Blame.WORKLOAD,
        evidence=(said, *offers),
        refuted_by="the same image failing alike on this node only, or a line about a device",
        object=ObjectRef("v1", "Pod", pod.namespace, pod.name),
        nodes=(pod.node,),
        explains=(pod_key(pod),),
        actions=(
            Action(
                text="Read what the program says; nothing about its devices is wrong.",
                command=f"kubectl -n {pod.namespace} logs {pod.name} --all-containers --previous",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
    )


RULE = DiagnosisRule(
    name="workload-fails-by-itself",
    severity=Severity.INFO,
    confidence=Confidence.MEDIUM,
    level=5,
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS, Need.LOGS}),
    check=_check,
)
