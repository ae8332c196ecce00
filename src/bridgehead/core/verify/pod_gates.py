"""Gates about the component's new pod on a node: its image, its admission, its readiness."""

from bridgehead.core.model.pod import Container, Pod
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.result import GateId, GateResult, Verdict
from bridgehead.core.verify.track import PULL_ERRORS
from bridgehead.core.verify.view import Expected

PULL_PATIENCE = 60.0
"""Seconds that a pull error may last; a registry's hiccup is shorter, a wrong name is not."""

RESTART_LIMIT = 3
"""Restarts within one pass; a pod that stands may have had more of them, over months of reboots."""


def image(case: Case) -> GateResult:
    """The pod runs the images of the expected revision, resolved as they were elsewhere."""
    ask = case.question(GateId.IMAGE, ", ".join(sorted(set(case.expected.images.values()))))
    pod = case.pod
    if pod is None:
        return ask.answer(Verdict.WAIT, "no pod", "there is no pod of the component here yet")
    every = (*pod.init_containers, *pod.containers)
    pulling = next((item for item in every if item.reason in PULL_ERRORS), None)
    if pulling is not None:
        since = case.track.pull_error_at
        late = since is not None and case.now - since >= PULL_PATIENCE
        verdict = Verdict.FAIL if late else Verdict.WAIT
        why = f"{pulling.image} cannot be pulled"
        return ask.answer(verdict, pulling.reason, why, case.proof)
    invalid = next((item for item in every if item.reason == "InvalidImageName"), None)
    if invalid is not None:
        return ask.answer(Verdict.FAIL, invalid.image, "the image reference is not valid")
    if any(not item.image_id for item in pod.containers):
        return ask.answer(Verdict.WAIT, pod.phase or "Pending", "no container runs yet")
    moved = next((item for item in every if _moved(item, case.expected)), None)
    if moved is not None:
        why = f"the tag was moved: it resolved to {case.expected.image_ids[moved.name]} before"
        return ask.answer(Verdict.FAIL, moved.image_id, why)
    return ask.answer(Verdict.PASS, ", ".join(sorted({item.image_id for item in every})))


def _moved(item: Container, expected: Expected) -> bool:
    known = expected.image_ids.get(item.name)
    return known is not None and bool(item.image_id) and _digest(item.image_id) != _digest(known)


def _digest(image_id: str) -> str:
    """The content alone: a node with a mirror reports another name before the ``@``."""
    return image_id.rpartition("@")[2]


def admitted(case: Case) -> GateResult:
    """A pod of the expected revision was taken up by the kubelet, and none of its kind refused.

    The DaemonSet controller replaces a Failed pod from whatever template stands, so the first
    Failed one decides.
    """
    revision = case.expected.revision
    ask = case.question(GateId.ADMITTED, f"a pod of revision {revision or '(not made yet)'}")
    refused = next((item for item in case.view.pods if _refused(item, case.expected)), None)
    if refused is not None:
        said = refused.message or refused.reason or "no reason given"
        seen = f"pod {refused.name} Failed"
        return ask.answer(Verdict.FAIL, seen, f"the node refused it: {said}", case.proof)
    pod = case.pod
    if pod is None:
        why = "the DaemonSet controller has not made one"
        return ask.answer(Verdict.WAIT, "no pod", why, case.proof)
    if pod.revision != revision:
        seen = f"revision {pod.revision}"
        return ask.answer(Verdict.WAIT, seen, "the pod is of another revision")
    if not pod.admitted:
        why = "the kubelet has not taken it up"
        return ask.answer(Verdict.WAIT, pod.phase or "Pending", why, case.proof)
    return ask.answer(Verdict.PASS, f"pod {pod.name}")


def _refused(pod: Pod, expected: Expected) -> bool:
    ours = pod.uid not in expected.deleted and pod.revision == expected.revision
    # A kubelet that refuses a pod gives its reason; one that is ended while it starts has none.
    ended = pod.deleting and not pod.reason
    return ours and pod.phase == "Failed" and not ended


def pod_ready(case: Case) -> GateResult:
    """The pod is Ready and does not restart again and again."""
    ask = case.question(GateId.POD_READY, "Ready")
    pod = case.pod
    if pod is None:
        return ask.answer(Verdict.WAIT, "no pod", "there is no pod of the component here yet")
    if case.restarts >= RESTART_LIMIT:
        seen = f"{case.restarts} restarts"
        return ask.answer(Verdict.FAIL, seen, "its container keeps ending", case.proof)
    if pod.ready:
        return ask.answer(Verdict.PASS, "Ready")
    state = next((item.reason for item in pod.containers if item.reason), pod.phase)
    restarts = f", {case.restarts} restarts" if case.restarts else ""
    return ask.answer(Verdict.WAIT, f"{state}{restarts}", "the pod is not Ready", case.proof)
