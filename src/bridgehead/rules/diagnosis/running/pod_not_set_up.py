"""The pod's sandbox or volumes cannot be set up.

Finds: a plugin's pod that the kubelet has taken up and cannot prepare: the sandbox fails, or a
volume does, for a reason that no other rule names.

Why: nothing of the plugin is started yet; the node's network, its container runtime or a volume is
at fault, and the node offers nothing of the plugin.

Sure: the events FailedCreatePodSandBox or FailedMount quote the answer of the network plugin, the
runtime or the volume; other new pods on the node fail likewise if it is the node.

Do: repair what the message names on that node. Going back helps only where the new template asks
for something that the former one did not.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, matching
from bridgehead.core.diagnose.cause import Blame, Cause
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_FAILED = r"(Failed to create pod sandbox|MountVolume\.\w+ failed for volume|Unable to attach)"


def _check(scene: Scene) -> Iterable[Cause]:
    for items, proof, _ in matching(ailing(scene, Trouble.CREATING), _FAILED):
        yield _cause(scene, items, proof)


def _cause(scene: Scene, items: Sequence[Ailing], proof: Evidence) -> Cause:
    posts = [item.post for item in items]
    component, pod = posts[0].plugin.component, posts[0].pod
    verdict = version_or_node(scene, posts, Blame.BELOW)
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message="its pod cannot be set up, so that nothing of it is started",
        blame=verdict.blame,
        evidence=(proof,),
        refuted_by="another new pod on the node that asks for the same and is set up",
        rollback=verdict.rollback,
        actions=(*back, *((remedies.describe(pod, "Read the whole message."),) if pod else ())),
        ruled_out=verdict.ruled_out,
        confidence=Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="pod-not-set-up",
    severity=Severity.ERROR,
    level=2,
    references=("https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/",),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS, Need.EVENTS}),
    helped_by=frozenset({Need.REVISIONS}),
    check=_check,
)
