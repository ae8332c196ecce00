"""The node's limit of file watchers is used up.

Finds: a plugin whose log says too many open files, and that offers no devices.

Why: plugins watch the kubelet's folder. The number of watchers is limited for each user of the host
(fs.inotify.max_user_instances, 128 on most), not for each container: others on the node have used
it up.

Sure: other programs on the same node fail in the same way, other nodes are fine, and the former
revision fails there as well.

Do: raise fs.inotify.max_user_instances on the node, then restart the plugin's pod.
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
    for items in faults_by_component(log_faults(scene, "inotify-limit")):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    names = " ".join(post.node.name for post in posts)
    verdict = version_or_node(scene, posts, Blame.BELOW)
    return plugin_cause(
        scene,
        posts,
        message="the node's limit of inotify instances or open files is used up",
        blame=Blame.DRIFT if verdict.blame is Blame.DRIFT else Blame.BELOW,
        evidence=tuple(item.quote.evidence for item in items[:2]),
        refuted_by="a higher fs.inotify.max_user_instances on the node, and the same line",
        rollback=RollbackHelps.NO,
        actions=(
            Action(
                text=f"Raise the limit on {names}, also for the next boot.",
                command=f"ssh {posts[0].node.name} "
                "sudo sysctl -w fs.inotify.max_user_instances=8192",
                rung="runbook",
            ),
            *remedies.restart_plugins([(post.pod, post.node.name) for post in posts]),
        ),
        ruled_out=(
            RuledOut("a bad version", "the limit is the host's and counts all of its processes"),
        ),
    )


RULE = DiagnosisRule(
    name="inotify-limit-used-up",
    severity=Severity.ERROR,
    level=2,
    references=("https://man7.org/linux/man-pages/man7/inotify.7.html",),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
