"""The plugin runs on nodes that have no such device.

Finds: a plugin that crashes on exactly those nodes of its DaemonSet that show no sign of its
devices, while it is sound on a node that has them.

Why: without any selection of nodes the DaemonSet wants a pod everywhere, and a plugin that ends
when it finds no device crashes there for ever. The DaemonSet is never fully ready, so that no
rollout of it passes its gates.

Sure: the nodes that crash are those without the vendor's labels, and have never offered the
resource.

Do: select nodes by a label of the device, or let the plugin wait instead of ending (for NVIDIA
FAIL_ON_INIT_ERROR=false).
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, by_component, quoted
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.device_signs import signs_of
from bridgehead.core.diagnose.log_faults import crash_quotes
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_FITTING = frozenset(
    {
        "driver-not-visible",
        "driver-missing",
        "no-device-found",
        "no-device-selected",
        "init-failed",
        "start-failed",
        "registration-failed",
    }
)


def _check(scene: Scene) -> Iterable[Cause]:
    for items in by_component(ailing(scene, Trouble.CRASH)):
        component = items[0].post.plugin.component
        sound = [it for it in scene.posts_by_plugin[component.ref] if it.sound]
        if sound and not any(_has_device(scene, item.post) for item in items):
            keys = {quote.key for item in items for quote in crash_quotes(item)}
            if not keys - _FITTING:
                yield _cause(scene, items, sound, told=bool(keys))


def _has_device(scene: Scene, post: Post) -> bool:
    """Any sign of a device, now or earlier; taints are of pools and count as one."""
    if signs_of(post.plugin, post.names, post.node):
        return True
    return any(scene.trajectory(post.node.name, name).best for name in post.names)


def _cause(scene: Scene, items: Sequence[Ailing], sound: Sequence[Post], *, told: bool) -> Cause:
    posts = [item.post for item in items]
    first, component = items[0], posts[0].plugin.component
    quotes = [quote.evidence for quote in crash_quotes(first)]
    good = sound[0]
    signs = signs_of(good.plugin, good.names, good.node)
    # A sound node without a label to know it by proves less: the others may lack a driver.
    labelled = any(item.plugin.family.hints_in(item.node.labels) for item in sound)
    return plugin_cause(
        scene,
        posts,
        message="it crashes, because these nodes have no such device",
        blame=Blame.PLACEMENT,
        evidence=(
            *(quotes[:1] or quoted([first])),
            Evidence(f"labels and status of node {posts[0].node.name}", "no sign of the device"),
            *signs[:2],
        ),
        refuted_by="a device of the plugin on one of these nodes (lspci)",
        rollback=RollbackHelps.NO,
        actions=(
            remedies.edit(
                component, "Select nodes by a label of the device, by nodeSelector or affinity."
            ),
        ),
        ruled_out=(
            RuledOut("a bad version", f"it is sound on {listed(it.node.name for it in sound)}"),
        ),
        confidence=Confidence.HIGH if labelled and told else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="plugin-on-node-without-device",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-8",),
    references=("NVIDIA#17", "eksctl-io/eksctl#2329", "ROCm#175", "intel#372"),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS, Need.HISTORY}),
    supersedes=frozenset(
        {"plugin-crashes", "driver-not-visible", "driver-not-bound", "selectors-match-nothing"}
    ),
    check=_check,
)
