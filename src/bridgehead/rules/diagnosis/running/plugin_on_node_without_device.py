"""The plugin runs on nodes that have no such device.

Finds: a plugin that crashes on exactly those nodes of its DaemonSet that show no sign of its
devices, while it is sound on others, which a label tells apart from them.

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
from bridgehead.core.model.node import Node

_FITTING = frozenset(
    {
        "driver-not-visible",
        "driver-missing",
        "no-device-found",
        "no-device-selected",
        "init-failed",
        "scan-failed",
        "fpga-mode-mismatch",
        "start-failed",
        "registration-failed",
    }
)
# What every node has of its own, whatever its devices.
_OF_ONE_NODE = ("kubernetes.io/hostname", "topology.", "failure-domain.", "csi.")


def _check(scene: Scene) -> Iterable[Cause]:
    for items in by_component(ailing(scene, Trouble.CRASH)):
        component = items[0].post.plugin.component
        sound = [it for it in scene.posts_by_plugin[component.ref] if it.sound]
        if not sound or any(_has_device(scene, item.post) for item in items):
            continue
        keys = {quote.key for item in items for quote in crash_quotes(item)}
        telling = _telling_label([it.post.node for it in items], [it.node for it in sound])
        if telling and not keys - _FITTING:
            yield _cause(scene, items, sound, telling, told=bool(keys))


def _has_device(scene: Scene, post: Post) -> bool:
    """Any sign of a device, now or earlier; taints are of pools and count as one."""
    if signs_of(post.plugin, post.names, post.node):
        return True
    return any(scene.trajectory(post.node.name, name).best for name in post.names)


def _telling_label(bad: Sequence[Node], good: Sequence[Node]) -> Evidence | None:
    """A label that all nodes have where it is sound, and none where it crashes.

    Without any such difference the nodes are alike, and one that crashes has lost its driver.
    """
    for key, value in sorted(good[0].labels.items()):
        if key.startswith(_OF_ONE_NODE):
            continue
        if any(node.labels.get(key) != value for node in good):
            continue
        if not any(node.labels.get(key) == value for node in bad):
            return Evidence(f"labels of node {good[0].name}", f"{key}={value}")
    return None


def _cause(
    scene: Scene,
    items: Sequence[Ailing],
    sound: Sequence[Post],
    telling: Evidence,
    *,
    told: bool,
) -> Cause:
    posts = [item.post for item in items]
    first, component = items[0], posts[0].plugin.component
    quotes = [quote.evidence for quote in crash_quotes(first)]
    good = sound[0]
    signs = signs_of(good.plugin, good.names, good.node)
    # Any other label than one of the vendor proves less: the others may lack a driver.
    hints = {hint for item in sound for hint in item.plugin.family.hints_in(item.node.labels)}
    return plugin_cause(
        scene,
        posts,
        message="it crashes, because these nodes have no such device",
        blame=Blame.PLACEMENT,
        evidence=(
            *(quotes[:1] or quoted([first])),
            Evidence(f"labels and status of node {posts[0].node.name}", "no sign of the device"),
            telling,
            *signs[:1],
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
        confidence=Confidence.HIGH if hints and told else Confidence.MEDIUM,
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
