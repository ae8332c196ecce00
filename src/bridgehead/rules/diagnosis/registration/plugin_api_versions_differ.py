"""Plugin and kubelet speak different versions of the device plugin API.

Finds: a plugin whose log, or a kubelet whose log, says that the registration service or the
version asked for is not known, on a node that shows none of the plugin's devices.

Why: the kubelet refuses the registration, each time anew; the pod may be Ready all the same.

Sure: "unknown service" or "not supported" is an answer, so the socket and the rights are fine. The
kubelet since 1.10 speaks v1beta1 alone.

Do: use a version of the plugin that speaks the kubelet's API; the former one if it did.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.remedies import edit
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.told import told
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    for group in told(scene, "plugin-api-versions-differ"):
        posts = [item.post for item in group]
        component = posts[0].plugin.component
        kubelets = sorted({(post.node.name, post.node.kubelet) for post in posts})[:2]
        yield scoped_cause(
            scene,
            posts,
            message=f"{component.ref} and the kubelet of {listed(p.node.name for p in posts)} "
            f"speak different versions of the plugin API, so {offering(posts)} is not registered",
            evidence=[
                *(item.quote.evidence for item in group[:3]),
                *(Evidence(f"nodeInfo of node {name}", f"kubelet {it}") for name, it in kubelets),
                *shown(posts),
            ],
            refuted_by="the same image registering at a kubelet of the same version",
            blame=Blame.VERSION,
            of_version=True,
            ruled_out=[
                RuledOut("directory, SELinux or user", "the kubelet has answered the plugin")
            ],
            actions=[edit(component, "Use a version of the plugin that speaks v1beta1.")],
        )


RULE = DiagnosisRule(
    name="plugin-api-versions-differ",
    severity=Severity.ERROR,
    level=3,
    references=("NVIDIA#109", "NVIDIA#30", "kubernetes/kubelet#17"),
    cases=("ZERO-5",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.NODE_EVIDENCE}),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers"}),
    check=_check,
)
