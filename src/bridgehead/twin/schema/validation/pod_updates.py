"""What may change of a pod that exists: images, a deadline, more tolerations, fewer gates.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, ValidatePodUpdate.
"""

import difflib
import json
from collections.abc import Sequence

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import Causes, forbidden, invalid
from bridgehead.twin.schema.validation.internal import internal_pod_spec
from bridgehead.twin.schema.validation.names import out_of_range

_CHANGEABLE = ",".join(
    (
        "`spec.containers[*].image`",
        "`spec.initContainers[*].image`",
        "`spec.activeDeadlineSeconds`",
        "`spec.tolerations` (only additions to existing tolerations)",
        "`spec.terminationGracePeriodSeconds` "
        "(allow it to be set to 1 if it was previously negative)",
    )
)


def pod_update_causes(obj: Object, old: Object) -> Causes:
    """What is wrong with a change of a pod's spec."""
    spec, before = obj["spec"], old["spec"]
    for key in ("containers", "initContainers"):
        if len(spec.get(key) or ()) != len(before.get(key) or ()):
            detail = "pod updates may not add or remove containers"
            yield forbidden(f"spec.{key}", detail)
            return
    deadline, known = spec.get("activeDeadlineSeconds"), before.get("activeDeadlineSeconds")
    if deadline is not None:
        field = "spec.activeDeadlineSeconds"
        if not 0 <= deadline <= 2**31 - 1:
            yield invalid(field, deadline, out_of_range(0, 2**31 - 1))
            return
        if known is not None and known < deadline:
            yield invalid(field, deadline, "must be less than or equal to previous value")
            return
    elif known is not None:
        detail = "must not update from a positive integer to nil value"
        yield invalid("spec.activeDeadlineSeconds", None, detail)
    yield from _toleration_causes(spec.get("tolerations") or (), before.get("tolerations") or ())
    yield from _gate_causes(spec, before)
    yield from _other_causes(spec, before)


def _toleration_causes(tolerations: Sequence[Object], before: Sequence[Object]) -> Causes:
    def without_seconds(toleration: Object) -> Object:
        return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}

    now = [without_seconds(item) for item in tolerations]
    if any(without_seconds(item) not in now for item in before):
        detail = "existing toleration can not be modified except its tolerationSeconds"
        yield forbidden("spec.tolerations", detail)


def _gate_causes(spec: Object, before: Object) -> Causes:
    known = [gate.get("name") for gate in before.get("schedulingGates") or ()]
    added = [
        gate.get("name")
        for gate in spec.get("schedulingGates") or ()
        if gate.get("name") not in known
    ]
    if added:
        listed = ", ".join(f'"{name}"' for name in added)
        detail = f"only deletion is allowed, but found new scheduling gates '{{{listed}}}'"
        yield forbidden("spec.schedulingGates", detail)


def _other_causes(spec: Object, before: Object) -> Causes:
    changed = {**spec}
    for key in ("containers", "initContainers"):
        if key in spec:
            changed[key] = [
                {**container, "image": known.get("image")}
                for container, known in zip(spec[key], before[key], strict=True)
            ]
    free = ["activeDeadlineSeconds", "tolerations", "schedulingGates"]
    grace = "terminationGracePeriodSeconds"
    if (before.get(grace) or 0) < 0 and spec.get(grace) == 1:
        free.append(grace)
    if before.get("schedulingGates"):
        free += ["nodeSelector", "affinity"]
    for key in free:
        changed.pop(key, None)
        if key in before:
            changed[key] = before[key]
    if changed != before:
        lines = "\n".join(_difference(before, changed))
        yield forbidden(
            "spec", f"pod updates may not change fields other than {_CHANGEABLE}\n{lines}\n"
        )


def _difference(before: Object, after: Object) -> Sequence[str]:
    """What changed, as lines of a unified diff without its head."""
    first, second = (
        json.dumps(internal_pod_spec(value), indent=1, ensure_ascii=False).splitlines()
        for value in (before, after)
    )
    return list(difflib.unified_diff(first, second, lineterm="", n=3))[2:]
