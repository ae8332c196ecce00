"""SELinux keeps the plugin from the kubelet's folder.

Finds: a plugin whose log says permission denied for the kubelet's socket or its own, on a
distribution that enforces SELinux, with a container that is neither privileged nor told to be
another user than root.

Why: a container of type container_t may not write into the device-plugins folder, nor connect to a
kubelet that runs under an unusual label. The plugin crashes or tries for ever; the node offers
nothing.

Sure: the file's mode and the user are right and it is denied all the same; only nodes of such a
distribution fail; a privileged twin works. On the node: ausearch -m avc -ts recent.

Do: set seLinuxOptions.type container_device_plugin_t (in container-selinux of the last years),
correct the label of the kubelet; privileged only as the last resort.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RuledOut
from bridgehead.core.diagnose.log_faults import LogFault, faults_by_component, log_faults
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.rights import enforces_selinux, rights_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_TYPE = "container_device_plugin_t"


def _check(scene: Scene) -> Iterable[Cause]:
    found = [item for item in log_faults(scene, "kubelet-socket-denied") if _confined(item)]
    for items in faults_by_component(found):
        yield _cause(scene, items)


def _confined(item: LogFault) -> bool:
    rights = rights_of(item.post)
    return enforces_selinux(item.post.node.os_image) and not (rights.privileged or rights.not_root)


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    node, component = posts[0].node, posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.BELOW)
    rights = rights_of(posts[0])
    sound = [it for it in scene.posts_by_plugin.get(component.ref, ()) if it.sound]
    only = bool(sound) and not any(enforces_selinux(it.node.os_image) for it in sound)
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message="SELinux denies it the kubelet's folder or socket",
        blame=verdict.blame if verdict.of_version else Blame.BELOW,
        evidence=(
            items[0].quote.evidence,
            Evidence(f"nodeInfo of node {node.name}", node.os_image),
            Evidence(
                f"template of {component.ref}, container {rights.container}",
                f"not privileged, seLinuxOptions.type {rights.selinux_type or 'not set'}",
            ),
        ),
        refuted_by="the same pod, privileged, denied as well; or no avc record on the node",
        rollback=verdict.rollback,
        actions=(
            *back,
            Action(
                text=f"Look for the denial on {node.name}.",
                command=f"kubectl debug node/{node.name} -it --image=busybox "
                "-- chroot /host ausearch -m avc -ts recent",
                rung="runbook",
            ),
            remedies.edit(component, f"Set seLinuxOptions.type {_TYPE} on {rights.container}."),
        ),
        ruled_out=(
            RuledOut("a wrong path", "the answer is permission denied, not no such file"),
            RuledOut("a user without rights", "nothing says that it is not root"),
        ),
        confidence=Confidence.HIGH if only else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="selinux-denies-plugin",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-4",),
    references=("intel#1628", "kubernetes#73240", "sriov#51"),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
