"""The plugin cannot reach the API server.

Finds: a plugin that offers no devices, and whose log says that connections to the API server time
out or are refused.

Why: some plugins are clients of the API themselves and register only once they have read their
node. Where the pod network or the service proxy is not ready when they start, they give up or try
for ever.

Sure: the error names port 443 and not kubelet.sock; other pods on the node fail to reach the API
server too, or did so at that time.

Do: repair the network of the node; once it is ready, restart the plugin's pod if it does not
recover by itself.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.log_faults import LogFault, faults_by_component, log_faults
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule


def _check(scene: Scene) -> Iterable[Cause]:
    for items in faults_by_component(log_faults(scene, "api-server-unreachable")):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    first = posts[0]
    verdict = version_or_node(scene, posts, Blame.BELOW)
    return plugin_cause(
        scene,
        posts,
        message="it cannot reach the API server, and offers nothing before it has",
        blame=verdict.blame if verdict.of_version else Blame.BELOW,
        evidence=(items[0].quote.evidence,),
        refuted_by="another pod on the node that reaches the API server through the same network",
        rollback=verdict.rollback if verdict.of_version else RollbackHelps.NO,
        actions=(
            Action(
                text=f"Look at the pods of network and service proxy on {first.node.name}.",
                command="kubectl get pods -A -o wide "
                f"--field-selector=spec.nodeName={first.node.name}",
            ),
            *remedies.restart_plugins(
                [(post.pod, post.node.name) for post in posts], "once the network is ready"
            ),
        ),
        ruled_out=(
            RuledOut("the kubelet's socket", "the address is one of the network"),
            RuledOut("a missing permission", "nobody answers, so that nobody refuses"),
        ),
    )


RULE = DiagnosisRule(
    name="api-server-out-of-reach",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-7",),
    references=("aws-neuron/aws-neuron-sdk#794", "NVIDIA#438"),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
