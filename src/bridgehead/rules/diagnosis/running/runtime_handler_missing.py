"""The node's container runtime does not have the handler that the pod asks for.

Finds: a plugin's pod whose sandbox cannot be created, because its RuntimeClass names a handler that
the runtime of the node is not configured with.

Why: the RuntimeClass object exists, so the API server takes the pod; the node's containerd or CRI-O
does not know the handler. k3s and RKE2 write their configuration anew at each start, and a toolkit
may have edited another file than the one in use.

Sure: the event FailedCreatePodSandBox says no runtime for "HANDLER" is configured. A missing
RuntimeClass object is refused earlier, as the pod is created.

Do: add the handler in the distribution's own way (a template, or its detection of the toolkit) and
restart its agent; go back if the former version did without the class.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, matching
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import text

# containerd (internal/cri/config, 2.4) and CRI-O (pkg/config).
_MISSING = (
    r"no runtime for \"(?P<one>[^\"]+)\" is configured"
    r"|failed to find runtime handler (?P<other>\S+) from runtime list"
)


def _check(scene: Scene) -> Iterable[Cause]:
    for items, proof, match in matching(ailing(scene, Trouble.CREATING), _MISSING):
        yield _cause(scene, items, proof, match["one"] or match["other"])


def _cause(scene: Scene, items: Sequence[Ailing], proof: Evidence, handler: str) -> Cause:
    posts = [item.post for item in items]
    first, component = posts[0], posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.BELOW)
    name = text(component.template, "spec", "runtimeClassName")
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    mend = Action(
        text=f"Configure the handler {handler} in the container runtime of "
        f"{first.node.name}, as the distribution ({first.node.os_image or 'see nodeInfo'}, "
        f"{first.node.runtime or 'runtime not known'}) does it, and restart its agent.",
        command=f"kubectl get runtimeclass {name or handler} -o yaml",
        rung="runbook",
    )
    return plugin_cause(
        scene,
        posts,
        message=f"its container runtime has no handler {handler}, which RuntimeClass "
        f"{name or handler} asks for",
        blame=Blame.BELOW if verdict.blame is not Blame.VERSION else Blame.VERSION,
        evidence=(
            proof,
            Evidence(
                f"nodeInfo of node {first.node.name}",
                f"{first.node.runtime}, {first.node.os_image}, {first.node.kubelet}",
            ),
        ),
        refuted_by=f"another pod with the handler {handler} that runs on the node",
        rollback=RollbackHelps.NO if verdict.blame is Blame.DRIFT else verdict.rollback,
        actions=(*back, mend),
        ruled_out=(
            RuledOut("a missing RuntimeClass object", "the API server has taken the pod"),
            *verdict.ruled_out,
        ),
    )


RULE = DiagnosisRule(
    name="runtime-handler-missing",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-9",),
    references=("NVIDIA#479", "NVIDIA#406", "gpu-op#473", "rancher/rke2#8752"),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS, Need.EVENTS}),
    helped_by=frozenset({Need.NODES, Need.REVISIONS}),
    supersedes=frozenset({"pod-not-set-up"}),
    check=_check,
)
