"""Sharing by MPS is configured, and a part that it needs is not there.

Finds: a plugin whose log says that it waits for the MPS daemon or lacks its root directory, on a
node that shows too few devices.

Why: with MPS the plugin offers nothing before the control daemon answers. The daemon is a DaemonSet
of its own, which goes only to nodes with the label nvidia.com/mps.capable=true, and both share host
paths that a static manifest easily leaves out.

Sure: the configuration has sharing.mps, and the daemon's DaemonSet is missing, wants no pod on the
node, or has none that is ready.

Do: deploy the MPS control daemon, label the nodes for it, and give the plugin --mps-root with its
mounts; or share by time slices.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RuledOut
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.told import told
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component

_LABEL = "nvidia.com/mps.capable"


def _check(scene: Scene) -> Iterable[Cause]:
    daemons = [item for item in scene.observed.snapshot.components if _is_daemon(item)]
    for group in told(scene, "mps-parts-missing", unless=("driver-library-mismatch",)):
        posts = [item.post for item in group]
        nodes = [post.node.name for post in posts]
        yield scoped_cause(
            scene,
            posts,
            message=f"{posts[0].plugin.component.ref} shares by MPS, and its control daemon is "
            f"missing on {listed(nodes)}, so {offering(posts)} is not offered",
            evidence=[
                *(item.quote.evidence for item in group[:3]),
                _about_daemons(scene, daemons),
                *(
                    Evidence(f"labels of node {post.node.name}", f"no {_LABEL}")
                    for post in posts[:2]
                    if _LABEL not in post.node.labels
                ),
                *shown(posts),
            ],
            refuted_by="a ready pod of the control daemon on the node since before the plugin's "
            "start",
            blame=Blame.CONFIGURATION,
            ruled_out=[RuledOut("a missing driver", "the plugin has come to ask for MPS")],
            actions=[
                Action(
                    text="Label the nodes for the MPS control daemon, and deploy it if it is not.",
                    command=f"kubectl label node {' '.join(sorted(nodes))} {_LABEL}=true",
                    rung="runbook",
                ),
            ],
        )


def _is_daemon(component: Component) -> bool:
    return "mps" in component.name


def _about_daemons(scene: Scene, daemons: list[Component]) -> Evidence:
    if not daemons:
        return Evidence("DaemonSets", "none has mps in its name")
    first = daemons[0]
    wanted = "unknown" if first.desired is None else str(first.desired)
    return Evidence(f"status of {first.ref}", f"desired {wanted} of {len(scene.nodes)} nodes")


RULE = DiagnosisRule(
    name="mps-parts-missing",
    severity=Severity.ERROR,
    level=3,
    references=("NVIDIA#1132", "NVIDIA#712", "NVIDIA PR#1946"),
    cases=("ZERO-10",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS}),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers", "driver-not-visible"}),
    check=_check,
)
