"""AppArmor keeps the plugin from writing to sysfs.

Finds: a plugin whose log says permission denied for a path below /sys, on a distribution that
confines containers by AppArmor, with a container that is neither privileged nor unconfined.

Why: the runtime's default profile refuses writes below /sys, which a plugin needs to bind devices
to another driver. It crashes there, and works on distributions without AppArmor.

Sure: the user is root and the path is below /sys; on the node, dmesg or journalctl -k shows
apparmor="DENIED".

Do: set securityContext.appArmorProfile.type Unconfined on the container (an annotation before
Kubernetes 1.30).
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.log_faults import LogFault, faults_by_component, log_faults
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.rights import enforces_apparmor, rights_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    found = [item for item in log_faults(scene, "sysfs-denied") if _confined(item)]
    for items in faults_by_component(found):
        yield _cause(scene, items)


def _confined(item: LogFault) -> bool:
    rights = rights_of(item.post)
    open_to_it = rights.privileged or rights.apparmor == "Unconfined" or rights.not_root
    return enforces_apparmor(item.post.node.os_image) and not open_to_it


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    node, component = posts[0].node, posts[0].plugin.component
    rights = rights_of(posts[0])
    verdict = version_or_node(scene, posts, Blame.BELOW)
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message="AppArmor's default profile denies it a path below /sys",
        blame=verdict.blame if verdict.of_version else Blame.BELOW,
        evidence=(
            items[0].quote.evidence,
            Evidence(f"nodeInfo of node {node.name}", node.os_image),
            Evidence(
                f"template of {component.ref}, container {rights.container}",
                f"not privileged, appArmorProfile {rights.apparmor or 'not set'}",
            ),
        ),
        refuted_by="the same pod with appArmorProfile Unconfined, denied as well",
        rollback=verdict.rollback,
        actions=(
            *back,
            remedies.edit(
                component,
                f"Set securityContext.appArmorProfile.type Unconfined on {rights.container}.",
            ),
        ),
        ruled_out=(RuledOut("SELinux", f"{node.os_image} does not use it"),),
    )


RULE = DiagnosisRule(
    name="apparmor-denies-sysfs",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-5",),
    references=("intel#381", "intel#1818", "intel#1575"),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
