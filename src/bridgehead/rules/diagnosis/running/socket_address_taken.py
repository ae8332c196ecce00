"""The plugin's socket is taken.

Finds: a plugin whose log says that the address of its own socket is in use, and that offers no
devices or crashes.

Why: either a second instance serves there, or a former process has left its socket file and this
one may not remove it, because it is not root.

Sure: count the pods on the node that mount the device-plugins folder and offer the resource: two
make a second instance, one a socket that was left behind.

Do: leave one claimant; or run the plugin as root with capabilities dropped, as the former version
did if it ran. A further start of the plugin finds the same file. Nobody but its owner should remove
a socket there.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.components.registration import DEVICE_PLUGINS
from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.log_faults import LogFault, faults_by_component, log_faults
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.rights import Rights, rights_in, rights_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import Verdict, version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.pod import Pod


def _check(scene: Scene) -> Iterable[Cause]:
    for items in faults_by_component(log_faults(scene, "socket-address-taken")):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    rivals = [pod for post in posts for pod in _rivals(scene, post)]
    if rivals:
        first = rivals[0]
        return plugin_cause(
            scene,
            posts,
            message=f"its socket is taken by a second instance, pod {first.ref}",
            blame=Blame.SECOND_WRITER,
            evidence=(
                items[0].quote.evidence,
                Evidence(f"pods on node {first.node}", f"{first.ref} mounts {DEVICE_PLUGINS}"),
            ),
            refuted_by="the other pod gone, and the same line",
            rollback=RollbackHelps.NO,
            actions=(
                Action(
                    text="Decide which of the two is to stay; never remove a rival unasked.",
                    command=f"kubectl get pod -n {first.namespace} {first.name} "
                    "-o jsonpath='{.metadata.ownerReferences}'",
                ),
            ),
        )
    return _left_behind(scene, items, rights_of(posts[0]))


def _left_behind(scene: Scene, items: Sequence[LogFault], rights: Rights) -> Cause:
    """No restart: the file outlives the process and its pod, and the next one may do no more."""
    posts = [item.post for item in items]
    component = posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.VERSION)
    rollback = _way_back(scene, component, rights, verdict)
    back = (remedies.roll_back(component),) if rollback is RollbackHelps.YES else ()
    user = "runAsNonRoot true" if rights.non_root else "no user set"
    if rights.user is not None:
        user = f"runAsUser {rights.user}"
    return plugin_cause(
        scene,
        posts,
        message="its socket is taken, and no other pod is there: a former process left it",
        blame=Blame.VERSION if rights.not_root else verdict.blame,
        evidence=(
            items[0].quote.evidence,
            Evidence(f"template of {component.ref}, container {rights.container}", user),
        ),
        refuted_by="a second pod or process of the plugin on the node",
        rollback=rollback,
        actions=(
            *back,
            remedies.edit(component, "Run it as root with all capabilities dropped."),
        ),
        ruled_out=(
            RuledOut("a second instance", "no other pod there mounts the folder"),
            *(verdict.ruled_out if verdict.of_version or not rights.not_root else ()),
        ),
        confidence=Confidence.HIGH if rights.not_root else Confidence.MEDIUM,
    )


def _way_back(
    scene: Scene, component: Component, rights: Rights, verdict: Verdict
) -> RollbackHelps:
    """Whether the former version would get its socket: only one that is root takes a file away."""
    _, former = former_of(templates_of(scene, component))
    if former is None or not former.template or not rights.not_root:
        return verdict.rollback
    before = rights_in(former.template)
    if before.not_root:
        return RollbackHelps.UNKNOWN
    return RollbackHelps.YES if verdict.of_version or before.user == 0 else RollbackHelps.UNKNOWN


def _rivals(scene: Scene, post: Post) -> list[Pod]:
    """Other live pods on the node that mount the folder and claim a resource of the plugin.

    Pods of plugins that are known to offer other names are none.
    """
    innocent = {
        pod.ref
        for plugin in scene.plugins
        if plugin.component.ref != post.plugin.component.ref
        and plugin.resources
        and post.names
        and set(plugin.resources).isdisjoint(post.names)
        for pod in plugin.pods
    }
    return [
        pod
        for pod in scene.pods_on(post.node.name)
        if not pod.terminal
        and (post.pod is None or pod.ref != post.pod.ref)
        and pod.ref not in innocent
        and any(DEVICE_PLUGINS in path.split("/") for path in pod.host_paths)
    ]


RULE = DiagnosisRule(
    name="socket-address-taken",
    severity=Severity.ERROR,
    level=2,
    cases=("LOSS-4",),
    references=("https://man7.org/linux/man-pages/man2/bind.2.html",),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
