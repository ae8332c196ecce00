"""A plugin fails to tell the kubelet its options.

Finds: a plugin whose log, or a kubelet whose log, shows an error of GetDevicePluginOptions, on a
node that shows none of the plugin's devices.

Why: the kubelet asks for the options when a plugin registers; with an error it does not take the
plugin on, and the resource stays absent. The pod is Ready all the same.

Sure: the plugin is called back, so directory and rights are fine; what fails is its own answer.

Do: use a version of the plugin that answers; nothing on the node helps.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.remedies import show_log
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.told import told
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule


def _check(scene: Scene) -> Iterable[Cause]:
    for group in told(scene, "options-refused"):
        posts = [item.post for item in group]
        yield scoped_cause(
            scene,
            posts,
            message=f"{posts[0].plugin.component.ref} fails to tell its options on "
            f"{listed(post.node.name for post in posts)}, so the kubelet does not take on "
            f"{offering(posts)}",
            evidence=[*(item.quote.evidence for item in group[:3]), *shown(posts)],
            refuted_by="the same version registered on another node of the same kind",
            blame=Blame.VERSION,
            of_version=True,
            ruled_out=[RuledOut("directory, SELinux or user", "the kubelet has called the plugin")],
            actions=[show_log(post.pod) for post in posts[:1] if post.pod],
        )


RULE = DiagnosisRule(
    name="options-refused",
    severity=Severity.ERROR,
    level=3,
    references=("test/e2e_node/device_plugin_failures_test.go, Kubernetes 1.37",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.NODE_EVIDENCE}),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers"}),
    check=_check,
)
