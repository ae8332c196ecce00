"""Pod Security refuses the plugin's pods.

Finds: a DaemonSet about devices that has fewer pods than it wants, because the API server refuses
to create them: Pod Security, PodSecurityPolicy or a security context constraint of OpenShift.

Why: a device plugin mounts host paths, which the levels baseline and restricted forbid. The check
acts on pods only, so that applying the DaemonSet succeeds (with a warning at most) and no pod ever
exists to look at; the refusal is an event of the DaemonSet.

Sure: kubectl get events -n NAMESPACE --field-selector reason=FailedCreate names the level and what
violates it; kubectl get namespace NAMESPACE --show-labels shows who asked for it.

Do: put the plugin into a namespace that allows privileged pods; whoever is in charge of the
namespace labels it pod-security.kubernetes.io/enforce=privileged.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.creation_refusals import Check, Refused, refused_components
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import text


def _check(scene: Scene) -> Iterable[Cause]:
    for item in refused_components(scene, Check.POD_SECURITY):
        yield _cause(scene, item)


def _cause(scene: Scene, item: Refused) -> Cause:
    component = item.component
    namespace = scene.observed.raw("Namespace", "", component.namespace) or {}
    enforced = text(namespace, "metadata", "labels", "pod-security.kubernetes.io/enforce")
    labels = (
        (Evidence(f"labels of namespace {component.namespace}", f"enforce={enforced}"),)
        if enforced
        else ()
    )
    _, former = former_of(templates_of(scene, component))
    some = item.current > 0 and former is not None
    level = f"Pod Security ({item.what})" if item.what else "its security policy"
    return Cause(
        message=(
            f"the API server refuses pods of {component.ref}: {level} in namespace "
            f"{component.namespace} does not allow what its template asks for"
        ),
        blame=Blame.PLACEMENT,
        evidence=(*item.evidence, *labels),
        refuted_by="a pod of this template that is created in this namespace",
        object=item.object,
        nodes=item.nodes,
        explains=(item.key,),
        actions=(
            *((remedies.roll_back(component),) if some else ()),
            Action(
                text="Let whoever is in charge of the namespace allow privileged pods there, or "
                "move the plugin to a namespace that does.",
                command=f"kubectl label namespace {component.namespace} "
                "pod-security.kubernetes.io/enforce=privileged --overwrite --dry-run=server",
                rung="runbook",
            ),
        ),
        rollback_helps=RollbackHelps.YES if some else RollbackHelps.UNKNOWN,
        ruled_out=(
            RuledOut(
                "nodes that do not fit", f"the controller wants {item.desired} pods and tries to"
            ),
        ),
    )


RULE = DiagnosisRule(
    name="pod-security-refuses",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-5",),
    references=("NVIDIA#62", "intel#1017"),
    needs=frozenset({Need.DAEMON_SETS, Need.EVENTS}),
    helped_by=frozenset({Need.NAMESPACES, Need.REVISIONS, Need.DRY_RUNS}),
    check=_check,
)
