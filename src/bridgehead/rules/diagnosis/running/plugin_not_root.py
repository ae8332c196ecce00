"""The plugin does not run as root.

Finds: a plugin whose log says permission denied for the kubelet's socket or its own, and whose
template makes it another user than root; or one that nothing else explains, where the image decides
on the user.

Why: the kubelet's device-plugins folder belongs to root and has mode 0750. Another user can neither
create a socket there nor remove one that a former process left.

Sure: kubectl get pod POD -o jsonpath={.spec.securityContext} and the container's own, or the
image's USER, name another user than 0.

Do: run it as root with all capabilities dropped (runAsUser: 0); that is less than privileged.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
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


def _check(scene: Scene) -> Iterable[Cause]:
    found = [item for item in log_faults(scene, "kubelet-socket-denied") if _may_be(item)]
    for items in faults_by_component(found):
        yield _cause(scene, items)


def _may_be(item: LogFault) -> bool:
    """Said to be another user; or not said, where SELinux cannot be it."""
    rights = rights_of(item.post)
    unsaid = rights.user is None and not enforces_selinux(item.post.node.os_image)
    return not rights.privileged and (rights.not_root or unsaid)


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    component = posts[0].plugin.component
    rights = rights_of(posts[0])
    verdict = version_or_node(scene, posts, Blame.VERSION)
    user = (
        f"runAsUser {rights.user}"
        if rights.user is not None
        else "runAsNonRoot true"
        if rights.non_root
        else "no user, so that the image decides"
    )
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message="it may not use the kubelet's folder, because it does not run as root",
        blame=Blame.VERSION,
        evidence=(
            items[0].quote.evidence,
            Evidence(f"template of {component.ref}, container {rights.container}", user),
        ),
        refuted_by="the same pod with runAsUser 0, denied as well",
        rollback=verdict.rollback,
        actions=(
            *back,
            remedies.edit(component, "Run it as root with all capabilities dropped."),
        ),
        ruled_out=(
            RuledOut("a wrong path", "the answer is permission denied, not no such file"),
            *verdict.ruled_out,
        ),
        confidence=Confidence.HIGH if rights.not_root else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="plugin-not-root",
    severity=Severity.ERROR,
    level=2,
    references=("https://kubernetes.io/docs/concepts/security/pod-security-standards/",),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
