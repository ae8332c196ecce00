"""What a kubelet says of a pod that it refuses, taken apart.

The kubelet writes ``Pod was rejected: `` (before 1.28: ``Pod ``) before the message of the handler
that refused, and gives an event without it. Sources: pkg/kubelet/cm/devicemanager/manager.go,
cm/admission/errors.go, cm/topologymanager and lifecycle/predicate.go, the same texts in Kubernetes
1.30.14 and 1.37.2; the prefix as a cluster of 1.37.2 wrote it.
"""

import re
from enum import Enum

import msgspec

_PREFIX = re.compile(r"^(?:Pod was rejected: |Pod (?=Allocate failed))")
_WRAPPED = re.compile(
    r"^Allocate failed due to (?P<cause>.*?)(?:, which is unexpected)?\.?$", re.DOTALL
)
_RPC = re.compile(r"rpc error: code = (?P<code>\w+) desc = (?P<said>.*)", re.DOTALL)
_OUT_OF = re.compile(
    r"enough resource: (?P<resource>\S+), requested: (?P<requested>\d+), used: (?P<used>\d+), "
    r"capacity: (?P<capacity>\d+)"
)
_TOO_FEW = re.compile(
    r"requested number of devices unavailable for (?P<resource>\S+)\. "
    r"Requested: (?P<requested>\d+), Available: (?P<available>\d+)"
)


class Refusal(Enum):
    """Why a kubelet refuses a pod."""

    UNREGISTERED = "its plugin has not registered"
    NONE_HEALTHY = "no device is healthy"
    NO_LONGER_HEALTHY = "the devices that it had are unhealthy now"
    TOO_FEW = "fewer devices are free than it asks for"
    ALLOCATE = "its plugin answers Allocate with an error"
    PREFERRED = "its plugin answers GetPreferredAllocation with an error"
    STOPPED = "the connection to its plugin has ended"
    TOPOLOGY = "its devices and processors do not lie together"
    OUT_OF = "the node has not enough of a resource"
    OTHER = "another reason"


class AdmissionMessage(msgspec.Struct, frozen=True, kw_only=True):
    """A refusal; ``code`` and ``said`` are of the plugin's answer, empty where it gave none."""

    refusal: Refusal
    text: str
    resource: str = ""
    requested: int | None = None
    available: int | None = None
    code: str = ""
    said: str = ""


_BY_TEXT = (
    (re.compile(r"cannot allocate unregistered device (?P<resource>\S+)"), Refusal.UNREGISTERED),
    (re.compile(r"unknown Device Plugin (?P<resource>\S+)"), Refusal.UNREGISTERED),
    (
        re.compile(r"endpoint not found in cache for a registered resource: (?P<resource>\S+)"),
        Refusal.UNREGISTERED,
    ),
    (
        re.compile(
            r"no healthy devices present; cannot allocate unhealthy devices (?P<resource>\S+)"
        ),
        Refusal.NONE_HEALTHY,
    ),
    (
        re.compile(
            r"previously allocated devices are no longer healthy; "
            r"cannot allocate unhealthy devices (?P<resource>\S+)"
        ),
        Refusal.NO_LONGER_HEALTHY,
    ),
)


def parse_admission_message(reason: str, message: str) -> AdmissionMessage | None:
    """The refusal in a failed pod's reason and message; None where a kubelet did not refuse it."""
    text = _PREFIX.sub("", message.strip())
    if reason == "TopologyAffinityError":
        return AdmissionMessage(refusal=Refusal.TOPOLOGY, text=text)
    if reason.startswith("OutOf"):
        return _out_of(reason, text)
    if reason != "UnexpectedAdmissionError":
        return None
    wrapped = _WRAPPED.match(text)
    cause = wrapped["cause"] if wrapped else text
    if few := _TOO_FEW.search(cause):
        return AdmissionMessage(
            refusal=Refusal.TOO_FEW,
            text=text,
            resource=few["resource"],
            requested=int(few["requested"]),
            available=int(few["available"]),
        )
    for pattern, refusal in _BY_TEXT:
        if named := pattern.search(cause):
            resource = named["resource"].rstrip(",.")
            return AdmissionMessage(refusal=refusal, text=text, resource=resource)
    return _of_the_call(text, cause)


def _of_the_call(text: str, cause: str) -> AdmissionMessage:
    rpc = _RPC.search(cause)
    code, said = (rpc["code"], rpc["said"]) if rpc else ("", "")
    if "GetPreferredAllocation rpc failed" in cause:
        refusal = Refusal.PREFERRED
    elif re.search(r"endpoint .* has been stopped", cause, re.DOTALL):
        refusal = Refusal.STOPPED
    elif rpc:
        refusal = Refusal.ALLOCATE
    else:
        refusal = Refusal.OTHER
    return AdmissionMessage(refusal=refusal, text=text, code=code, said=said)


def _out_of(reason: str, text: str) -> AdmissionMessage:
    counts = _OUT_OF.search(text)
    return AdmissionMessage(
        refusal=Refusal.OUT_OF,
        text=text,
        resource=reason.removeprefix("OutOf"),
        requested=int(counts["requested"]) if counts else None,
        available=int(counts["capacity"]) - int(counts["used"]) if counts else None,
    )
