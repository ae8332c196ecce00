"""A resource is published without a plugin, and the webhook that adds the device is not there.

Finds: pods that ask for sgx.intel.com/epc and for none of the SGX devices, on nodes whose
annotation says that Node Feature Discovery publishes epc.

Why: epc is only a number that the scheduler counts; no plugin stands behind it. The webhook of the
SGX plugin adds sgx.intel.com/enclave to pods that ask for epc. Without the webhook, or with one
that could not get its certificate, the pod is placed and /dev/sgx_enclave is missing in it.

Sure: the pod's spec has no sgx.intel.com/enclave, and the node's annotation
nfd.node.kubernetes.io/extended-resources names epc.

Do: install the webhook with its certificate, and make the pods anew; or ask for the enclave
resource in the workload.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.users import User, users
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import children, text

_PUBLISHED = "nfd.node.kubernetes.io/extended-resources"
_COUNTED = "sgx.intel.com/epc"
_DEVICES = ("sgx.intel.com/enclave", "sgx.intel.com/provision")
_WEBHOOK = "sgx"


def _check(scene: Scene) -> Iterable[Cause]:
    hit = [user for user in users(scene) if _lacks_device(scene, user)]
    if hit:
        yield _cause(scene, hit)


def _lacks_device(scene: Scene, user: User) -> bool:
    asks = user.pod.requests
    if user.pod.terminal or _COUNTED not in asks or any(name in asks for name in _DEVICES):
        return False
    node = scene.nodes.get(user.pod.node)
    published = node.annotations.get(_PUBLISHED, "") if node is not None else ""
    return _COUNTED in [name.strip() for name in published.split(",")]


def _cause(scene: Scene, hit: list[User]) -> Cause:
    pods = [user.pod for user in hit]
    first = pods[0]
    node = scene.nodes[first.node]
    who = f"pod {first.ref} asks" if len(pods) == 1 else f"{len(pods)} pods ask"
    webhook = _webhook(scene)
    missing = "; no webhook of SGX is configured" if webhook == "" else ""
    return Cause(
        message=f"{who} for {_COUNTED}, which Node Feature Discovery publishes without a plugin, "
        f"and for no SGX device: /dev/sgx_enclave is not in it{missing}",
        blame=Blame.CONFIGURATION,
        object=ObjectRef("v1", "Pod", first.namespace, first.name),
        nodes=tuple(sorted({pod.node for pod in pods})),
        explains=tuple(pod_key(pod) for pod in pods),
        evidence=(
            Evidence(
                f"spec of pod {first.ref}",
                ", ".join(f"{name}: {count}" for name, count in first.requests.items()),
            ),
            Evidence(
                f"annotation of node {node.name}", f"{_PUBLISHED}: {node.annotations[_PUBLISHED]}"
            ),
            *(
                (Evidence("webhook configurations", webhook or "none of SGX"),)
                if webhook is not None
                else ()
            ),
        ),
        refuted_by="the pod's containers have /dev/sgx_enclave",
        ruled_out=(RuledOut("a lost plugin", f"no plugin registers {_COUNTED}"),),
        actions=(
            Action(
                text="Look for the webhook, its endpoints and the Secret with its certificate",
                command="kubectl get mutatingwebhookconfigurations",
            ),
            Action(
                text="Install what is missing and make the pods anew, or ask for "
                f"{_DEVICES[0]}: 1 in the workload"
            ),
        ),
        rollback_helps=RollbackHelps.NO,
    )


def _webhook(scene: Scene) -> str | None:
    """Names of SGX webhooks; empty where there is none, None where they were not read."""
    if not scene.observed.has(Need.WEBHOOKS):
        return None
    names = [
        text(hook, "name")
        for item in scene.observed.of_kind("MutatingWebhookConfiguration")
        for hook in children(item, "webhooks")
    ]
    return ", ".join(sorted(name for name in names if _WEBHOOK in name))


RULE = DiagnosisRule(
    name="resource-without-plugin",
    severity=Severity.ERROR,
    level=5,
    cases=("USE-4",),
    references=(
        "intel/intel-device-plugins-for-kubernetes PR#659",
        "intel/intel-device-plugins-for-kubernetes#1344",
        "intel/intel-device-plugins-for-kubernetes#1269",
        "intel/intel-device-plugins-for-kubernetes#1347",
        "intel/intel-device-plugins-for-kubernetes#461",
    ),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.WEBHOOKS}),
    check=_check,
)
