"""The kubelet refuses the name of a resource.

Finds: a plugin whose log, or a kubelet whose log, says that the resource name is invalid, while
the node shows none of its devices.

Why: an extended resource needs a domain of its own, a slash, and a name of letters, digits, '-',
'_' and '.'; any other is refused at registration, each time anew.

Sure: the message quotes the name. The API server would refuse a pod that asks for it as well.

Do: correct the name in the plugin's configuration or arguments, together with the pods that ask
for it.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.remedies import edit
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause, shown
from bridgehead.core.diagnose.told import told
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule


def _check(scene: Scene) -> Iterable[Cause]:
    for group in told(scene, "resource-name-refused"):
        posts = [item.post for item in group]
        component = posts[0].plugin.component
        yield scoped_cause(
            scene,
            posts,
            message=f"the kubelet of {listed(post.node.name for post in posts)} refuses the "
            f"resource name that {component.ref} registers",
            evidence=[*(item.quote.evidence for item in group[:3]), *shown(posts)],
            refuted_by="the same name in the status of another node",
            blame=Blame.CONFIGURATION,
            of_version=True,
            ruled_out=[
                RuledOut("directory, SELinux or user", "the kubelet has answered the plugin")
            ],
            actions=[edit(component, "Correct the resource name that the plugin is given.")],
        )


RULE = DiagnosisRule(
    name="resource-name-refused",
    severity=Severity.ERROR,
    level=3,
    references=("pkg/kubelet/cm/devicemanager/plugin/v1beta1/server.go, Kubernetes 1.37",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.NODE_EVIDENCE}),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers"}),
    check=_check,
)
