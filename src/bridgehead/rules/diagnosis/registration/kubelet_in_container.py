"""The kubelet runs in a container or a distribution that keeps its device directory to itself.

Finds: a plugin that does not reach its kubelet, or is not called back by it, on a node whose
kubelet is one that does not share /var/lib/kubelet/device-plugins with the host (RKE 1, k3s before
1.17.3).

Why: the plugin's socket lies on the host and the kubelet looks inside its own container, so no
plugin of the node can register, whatever its version.

Sure: the socket is visible on the host and the kubelet never answers; every plugin of this
distribution fails alike, and the same manifest works on others.

Do: bind the host's directory into the kubelet's container (RKE: services.kubelet.extra_binds), or
upgrade the distribution.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.contained_kubelet import contained_kubelet
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.telling_lines import Quote
from bridgehead.core.diagnose.told import told
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence

_OTHERWISE = ("kubelet-socket-denied", "kubelet-socket-refused", "no-device-found", "init-failed")


def _check(scene: Scene) -> Iterable[Cause]:
    quotes: dict[tuple[str, str], Quote] = {
        (item.post.plugin.component.ref, item.post.node.name): item.quote
        for group in told(scene, "kubelet-socket-missing", "dial-back-failed")
        for item in group
    }
    posts = [
        post
        for post in scene.posts
        if post.failing and contained_kubelet(post.node) and _unheard(post, quotes)
    ]
    for group in by_plugin(posts):
        yield _cause(scene, group, quotes)


def _unheard(post: Post, quotes: dict[tuple[str, str], Quote]) -> bool:
    """Whether its log says that it reaches nobody, or it serves and is not called."""
    if (post.plugin.component.ref, post.node.name) in quotes:
        return True
    quiet = "registered" not in post.quotes and not any(key in post.quotes for key in _OTHERWISE)
    return quiet and post.settled and bool(post.short) and bool(post.logs)


def _cause(scene: Scene, posts: list[Post], quotes: dict[tuple[str, str], Quote]) -> Cause:
    nodes = [post.node.name for post in posts]
    lines = [quotes.get((post.plugin.component.ref, post.node.name)) for post in posts]
    marks = [contained_kubelet(post.node) for post in posts]
    evidence: list[Evidence] = [line.evidence for line in lines[:3] if line]
    evidence += [mark for mark in marks[:2] if mark]
    return scoped_cause(
        scene,
        posts,
        message=f"the kubelet of {listed(nodes)} does not share its device-plugins directory with "
        f"the host, so {posts[0].plugin.component.ref} cannot register {offering(posts)}",
        evidence=[*evidence, *shown(posts)],
        refuted_by="another device plugin that is registered on the same node",
        blame=Blame.KUBELET,
        rollback=RollbackHelps.NO,
        ruled_out=[RuledOut("a bad version", "no version of the plugin reaches such a kubelet")],
        actions=[
            Action(
                text="Bind /var/lib/kubelet/device-plugins of the host into the kubelet's "
                "container, or upgrade the distribution, one node after the other.",
                rung="runbook",
            )
        ],
    )


RULE = DiagnosisRule(
    name="kubelet-in-container",
    severity=Severity.ERROR,
    level=3,
    references=("rancher-archives/rke#1585", "k3s-io/k3s#451", "k3s-io/k3s PR#1416"),
    cases=("ZERO-4",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.NODE_EVIDENCE}),
    supersedes=frozenset(
        {"plugin-crashes", "plugin-never-registers", "kubelet-directory-elsewhere"}
    ),
    check=_check,
)
