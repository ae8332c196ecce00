"""The plugin may not look at MIG devices.

Finds: NVIDIA's plugin with Insufficient Permissions in its log, and no device on the node.

Why: once MIG is on, the driver shows MIG devices only to a container that may monitor them:
NVIDIA_MIG_MONITOR_DEVICES=all and, by version, the capability SYS_ADMIN or privileged.

Sure: the same pod works on nodes without MIG; the label nvidia.com/mig.capable or mig.strategy is
set on the failing ones.

Do: set the variable NVIDIA_MIG_MONITOR_DEVICES=all and add the capability SYS_ADMIN.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.log_faults import LogFault, faults_by_component, log_faults
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import children, text

_VARIABLE = "NVIDIA_MIG_MONITOR_DEVICES"


def _check(scene: Scene) -> Iterable[Cause]:
    for items in faults_by_component(log_faults(scene, "mig-not-permitted")):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    node, component = posts[0].node, posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.CONFIGURATION)
    labels = [f"{key}={node.labels[key]}" for key in sorted(node.labels) if "mig" in key]
    given = {
        text(item, "name"): text(item, "value")
        for container in children(component.template, "spec", "containers")
        for item in children(container, "env")
    }
    said = f"{_VARIABLE}={given[_VARIABLE]}" if _VARIABLE in given else f"{_VARIABLE} is not set"
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message="it may not look at the node's MIG devices",
        blame=verdict.blame if verdict.of_version else Blame.CONFIGURATION,
        evidence=(
            items[0].quote.evidence,
            Evidence(f"template of {component.ref}", said),
            *(Evidence(f"labels of node {node.name}", label) for label in labels[:2]),
        ),
        refuted_by=f"{_VARIABLE}=all and SYS_ADMIN set, and the same line",
        rollback=verdict.rollback,
        actions=(
            *back,
            remedies.edit(component, f"Set {_VARIABLE}=all and add the capability SYS_ADMIN."),
        ),
        ruled_out=(RuledOut("a missing driver", "the driver answers, and refuses"),),
    )


RULE = DiagnosisRule(
    name="mig-not-permitted",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-6",),
    references=("NVIDIA#399", "NVIDIA#229", "HAMi#452"),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
