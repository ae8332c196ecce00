"""A workload that asks for devices fails for a reason of its own.

Finds: pods with devices that do not come to run or end with an error, where the reason is none of
devices: an image that cannot be pulled, a reference to something missing, a command that is not in
the image, the pod's own memory limit, or an end of its process whose log says nothing of devices,
on a node that offers all that it should.

Why: it is told so that nobody looks at plugins for it. A training job that crashes is no fault of
the device plugin that gave it a device.

Sure: read the pod's log and events. If they speak of the device after all, this is not the cause.

Do: mend the workload; its owner knows how.
"""

import re
from collections import defaultdict
from collections.abc import Iterable

import msgspec

from bridgehead.core.components.workload_logs import WORKLOAD_PATTERNS
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.users import User, users
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.pod import Container

_ABOUT_DEVICES = re.compile(
    r"\b(gpu|cuda|cudnn|nvml|nvidia|nccl|rocm|hip|xid|driver|devices?|accelerator|mig|npu|fpga|sgx"
    r"|qat|rdma|ibv_\w*|verbs|infiniband|vfio|sriov|cdi|kfd|dri|ioctl|permission denied)\b|/dev/",
    re.IGNORECASE,
)
_OWN_WAITS = frozenset(
    {
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "ErrImageNeverPull",
        "CreateContainerConfigError",
    }
)
_NOT_THERE = re.compile(r"executable file not found|no such file or directory", re.IGNORECASE)
_LAST_LINES = 60


class _Own(msgspec.Struct, frozen=True):
    """Why a pod fails by itself, with the proof."""

    why: str
    evidence: Evidence
    confidence: Confidence = Confidence.HIGH


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    unwell = {item.key for item in scene.symptoms_with("pod/")}
    groups: dict[tuple[str, str, str], list[tuple[User, _Own]]] = defaultdict(list)
    short = frozenset((it.node, it.resource) for it in scene.symptoms_with("devices/"))
    plugins = {pod.ref for plugin in scene.plugins for pod in plugin.pods}
    for user in users(scene):
        pod = user.pod
        if pod.ref in plugins or pod_key(pod) not in unwell or _is_short(short, user):
            continue
        own = _own(user)
        if own is None and not user.logs and (own := _unread_crash(user)) is not None:
            yield Doubt(why=f"whether pod {pod.ref} fails by itself: its log was not read")
        if own is not None:
            groups[pod.namespace, pod.owner_name or pod.name, own.why].append((user, own))
    for _, found in sorted(groups.items(), key=lambda item: item[0]):
        yield _cause(found)


def _is_short(short: frozenset[tuple[str, str]], user: User) -> bool:
    """Whether its node shows too few of its devices: then the node comes first."""
    return any((user.pod.node, name) in short for name in user.resources)


def _own(user: User) -> _Own | None:
    if any(user.says(pattern) is not None for pattern in WORKLOAD_PATTERNS):
        return None
    for item in (*user.pod.init_containers, *user.pod.containers):
        source = f"status of container {item.name} of pod {user.pod.ref}"
        if "device plugin" in item.message:
            return None
        if item.state == "waiting" and item.reason in _OWN_WAITS:
            said = f"{item.reason}: {item.message}" if item.message else item.reason
            return _Own(f"container {item.name} waits: {item.reason}", Evidence(source, said))
        ended = _ended(item)
        if ended is None:
            continue
        reason, code, said = ended
        if reason == "OOMKilled":
            why = f"container {item.name} takes more memory than its limit"
            return _Own(why, Evidence(source, f"{reason}, exit code {code}"))
        if _NOT_THERE.search(said) and not _ABOUT_DEVICES.search(said):
            return _Own(
                f"the command of container {item.name} is not in it", Evidence(source, said)
            )
    return _crash(user)


def _ended(item: Container) -> tuple[str, int, str] | None:
    """Reason, exit code and message of its last end with an error."""
    if item.state == "terminated" and item.exit_code:
        return item.reason, item.exit_code, item.message
    if item.state == "waiting" and item.last_exit_code:
        return item.last_reason, item.last_exit_code, item.last_message
    return None


def _unread_crash(user: User) -> _Own | None:
    """An end with an error of which nobody has read the log: likely its own, and no more."""
    for item in user.pod.containers:
        ended = _ended(item)
        if ended is None or ended[0] == "StartError" or _ABOUT_DEVICES.search(ended[2]):
            continue
        source = f"status of container {item.name} of pod {user.pod.ref}"
        proof = Evidence(source, f"{ended[0] or 'ended'}, exit code {ended[1]}")
        return _Own(f"container {item.name} ends with exit code {ended[1]}", proof, Confidence.LOW)
    return None


def _crash(user: User) -> _Own | None:
    """An end with an error whose log, and all that the runtime says, has no word of devices."""
    for item in (*user.pod.init_containers, *user.pod.containers):
        ended = _ended(item)
        if ended is None or ended[0] == "StartError" or _ABOUT_DEVICES.search(ended[2]):
            continue
        logs = [(key, log) for key, log in user.logs if key.container == item.name and log.lines]
        lines = [line for _, log in logs for line in log.lines[-_LAST_LINES:]]
        if not lines or any(_ABOUT_DEVICES.search(line) for line in lines):
            continue
        key, log = logs[-1]
        index = len(log.lines) - 1
        quote = Evidence(f"log {key}:{log.number_of(index)}", log.lines[index])
        return _Own(
            f"container {item.name} ends with exit code {ended[1]}", quote, Confidence.MEDIUM
        )
    return None


def _cause(found: list[tuple[User, _Own]]) -> Cause:
    user, own = found[0]
    pod = user.pod
    who = f"pod {pod.ref}" if len(found) == 1 else f"{len(found)} pods of {pod.owner_name}"
    nodes = tuple(sorted({item.pod.node for item, _ in found}))
    return Cause(
        message=f"{who} fails by itself: {own.why}; its devices are as they should be",
        blame=Blame.WORKLOAD,
        object=ObjectRef("v1", "Pod", pod.namespace, pod.name),
        nodes=nodes,
        explains=tuple(pod_key(item.pod) for item, _ in found),
        evidence=tuple(item.evidence for _, item in found[:3]),
        refuted_by="its log or events speak of the device after all",
        ruled_out=(RuledOut("missing devices", f"{nodes[0]} offers all that it should"),),
        actions=(
            Action(
                text="Read the pod's events and its log",
                command=f"kubectl describe pod -n {pod.namespace} {pod.name}",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
        confidence=own.confidence,
    )


RULE = DiagnosisRule(
    name="workload-fails-by-itself",
    severity=Severity.INFO,
    level=5,
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.LOGS}),
    check=_check,
)
