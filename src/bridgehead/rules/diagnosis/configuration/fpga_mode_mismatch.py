"""FPGA plugin and webhook do not speak of the same functions or regions.

Finds: pods that the FPGA webhook denied, in an event or a dry run, and waiting pods that ask for a
friendly FPGA name where nodes offer functions or regions by their ids.

Why: the plugin offers af- or region- ids according to its mode. The webhook turns friendly names
into ids by mapping objects (AcceleratorFunction, FpgaRegion) in the pod's namespace. Where an
object is missing, or made for the other mode, nothing fits.

Sure: compare the ids that nodes offer with the mapping objects and their mode.

Do: make a mapping object for each id that is offered, in the mode of the plugin, and ask for the
friendly name. FPGA_ variables of a container have to go: the webhook sets them itself.
"""

import re
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.shortage import Lack, Shortage, lacks
from bridgehead.core.diagnose.symptom import daemon_set_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import child, text

_DOMAIN = "fpga.intel.com/"
_DENIED = re.compile(
    r"fpga\S*\.webhooks\.intel\.com\W+denied the request: "
    r"(?P<why>no such resource|environment variable '[^']*' is not allowed)",
)
_BY_ID = re.compile(r"fpga\.intel\.com/(af-|region-|[0-9a-f]{31,})")


def _check(scene: Scene) -> Iterable[Cause]:
    offered = _offered(scene)
    for kind, (ref, evidence) in _denied(scene).items():
        yield _cause(
            f"{kind} gets no pods: the FPGA webhook denies them, as it has no mapping for what "
            f"they ask{_shown(offered)}",
            ref,
            (daemon_set_key(ref.namespace, ref.name),) if ref.kind == "DaemonSet" else (),
            (evidence, *offered.values()),
            tuple(offered),
        )
    for lack in lacks(scene, Shortage.NEVER_REGISTERED, Shortage.PLUGIN_LOST):
        name = lack.waiting.resource
        if name.startswith(_DOMAIN) and offered and name not in _names(scene):
            yield _waits(lack, offered)


def _waits(lack: Lack, offered: dict[str, Evidence]) -> Cause:
    waiting = lack.waiting
    return _cause(
        f"{waiting.who} {waiting.verb} {waiting.resource}, which no mapping turns into what "
        f"nodes offer{_shown(offered)}",
        waiting.object,
        waiting.explained,
        (*waiting.evidence, *offered.values()),
        tuple(offered),
    )


def _denied(scene: Scene) -> dict[str, tuple[ObjectRef, Evidence]]:
    """Owners whose pods the webhook has denied, with its words."""
    found = {}
    for event in scene.observed.events:
        if _DENIED.search(event.message):
            ref = ObjectRef("", event.kind, event.namespace, event.name)
            found[str(ref)] = (ref, Evidence(event.source, event.message))
    for item in scene.observed.of_kind("PodDryRun"):
        said, about = text(item, "status", "message"), text(item, "status", "component")
        if child(item, "status", "accepted") is False and _DENIED.search(said):
            _, _, names = about.partition("/")
            namespace, _, name = names.partition("/")
            ref = ObjectRef("apps/v1", "DaemonSet", namespace, name)
            found[str(ref)] = (ref, Evidence(f"dry run of {about}", said))
    return dict(sorted(found.items()))


def _offered(scene: Scene) -> dict[str, Evidence]:
    """Nodes that offer FPGA functions or regions by id, with the first of each."""
    found = {}
    for node in scene.nodes.values():
        names = [
            n for n, offer in sorted(node.offers.items()) if offer.allocatable and _BY_ID.match(n)
        ]
        if names:
            shown = ", ".join(f"{name} {node.offers[name]}" for name in names)
            found[node.name] = Evidence(f"status of node {node.name}", shown)
    return found


def _names(scene: Scene) -> frozenset[str]:
    return frozenset(
        name
        for node in scene.nodes.values()
        for name, offer in node.offers.items()
        if offer.allocatable
    )


def _shown(offered: dict[str, Evidence]) -> str:
    first = next(iter(offered.values()), None)
    return f" ({first.text})" if first is not None else ""


def _cause(
    message: str,
    ref: ObjectRef,
    explains: tuple[str, ...],
    evidence: tuple[Evidence, ...],
    nodes: tuple[str, ...],
) -> Cause:
    return Cause(
        message=message,
        blame=Blame.CONFIGURATION,
        object=ref,
        nodes=nodes,
        explains=explains,
        evidence=evidence[:4],
        refuted_by="a mapping object in the pod's namespace has an offered id and its mode",
        ruled_out=(RuledOut("a lost plugin", "nodes offer FPGA resources"),) if nodes else (),
        actions=(
            Action(
                text="Compare the mapping objects with what nodes offer, and make those that miss",
                command="kubectl get acceleratorfunctions,fpgaregions -A",
            ),
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
    )


RULE = DiagnosisRule(
    name="fpga-mode-mismatch",
    severity=Severity.ERROR,
    level=4,
    cases=("CONF-2",),
    supersedes=frozenset({"pod-creation-refused", "requested-name-not-offered"}),
    references=(
        "intel/intel-device-plugins-for-kubernetes#1074",
        "intel/intel-device-plugins-for-kubernetes#863",
        "intel/intel-device-plugins-for-kubernetes#301",
    ),
    needs=frozenset({Need.NODES}),
    helped_by=frozenset({Need.EVENTS, Need.PODS, Need.DRY_RUNS}),
    check=_check,
)
