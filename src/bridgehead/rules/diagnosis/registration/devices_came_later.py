"""Devices, or the plugin's configuration, came after the plugin had looked for devices.

Finds: a node that shows too few devices, where something that brings devices (node configuration, a
driver's pod, the plugin's own ConfigMap, a device node) changed after the plugin's process began,
and the plugin is not known to look again.

Why: many plugins look for devices once, as they start. What is there later is not offered until the
plugin starts anew.

Sure: the plugin's process is older than the change. A plugin that looks again and again, or whose
node shows all its devices, is fine.

Do: restart the plugin's pod on that node while none of the resource is in use there: such plugins
often do not find the devices again that pods hold.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.device_hints import device_hint
from bridgehead.core.diagnose.later_change import Change, later_changes
from bridgehead.core.diagnose.post import SETTLING, Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.remedies import restart_plugins
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp

_OTHERWISE = (
    "kubelet-socket-missing",
    "kubelet-socket-denied",
    "kubelet-socket-refused",
    "dial-back-failed",
    "plugin-api-versions-differ",
    "resource-name-refused",
    "options-refused",
    "driver-library-mismatch",
    "mps-parts-missing",
    "configuration-refused",
    "device-unhealthy",
    "device-error",
    "device-lost",
    "stream-ended",
)


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    changes: dict[tuple[str, str], list[Change]] = {}
    posts = []
    for post in scene.posts:
        if not _may_be(scene, post):
            continue
        late = [it for it in later_changes(scene, post) if scene.now - it.at >= SETTLING]
        if late:
            changes[post.plugin.component.ref, post.node.name] = late
            posts.append(post)
    for group in by_plugin(posts):
        yield _cause(scene, group, changes)


def _may_be(scene: Scene, post: Post) -> bool:
    """Whether the plugin could have looked too early: it lives, and nothing else is the matter."""
    if not post.failing or not post.settled or post.plugin.family.discovers_once is False:
        return False
    if any(key in post.quotes for key in _OTHERWISE):
        return False
    return device_hint(scene, post) is not None and not _dropped(scene, post)


def _dropped(scene: Scene, post: Post) -> bool:
    """Whether this very process has offered as many as there should be, and does no more."""
    started = post.started or 0.0
    return any(
        (scene.trajectory(post.node.name, name).dropped_at or 0.0) > started
        for name in post.short or post.names
    )


def _cause(scene: Scene, posts: list[Post], changes: dict[tuple[str, str], list[Change]]) -> Cause:
    component = posts[0].plugin.component
    late = [changes[component.ref, post.node.name] for post in posts]
    configured = all(each[-1].configuration for each in late)
    in_wrong_order = all(each[-1].configuration or each[-1].of_node for each in late)
    busy = {
        post.node.name: sum(scene.in_use(post.node.name, name) for name in post.names)
        for post in posts
    }
    idle = [post for post in posts if not busy[post.node.name]]
    starts = [
        Evidence(f"status of pod {post.pod.ref}", f"running since {stamp(post.started)}")
        for post in posts[:2]
        if post.pod and post.started
    ]
    what = "its configuration changed" if configured else "its devices came"
    return scoped_cause(
        scene,
        posts,
        message=f"{component.ref} on {listed(post.node.name for post in posts)} had started before "
        f"{what}, and looks for devices only as it starts: {offering(posts)} is missing",
        evidence=[*starts, *(each[-1].evidence for each in late[:2]), *shown(posts)],
        refuted_by="a restart of the plugin's pod that finds no more devices than before",
        blame=Blame.CONFIGURATION if in_wrong_order else Blame.DRIFT,
        rollback=RollbackHelps.NO,
        ruled_out=[RuledOut("a bad version", "the change came after the plugin's start")],
        actions=[
            *restart_plugins(
                ((post.pod, post.node.name) for post in idle), "as nothing there uses its devices"
            ),
            *_free_first(sorted(name for name, count in busy.items() if count)),
        ],
    )


def _free_first(nodes: list[str]) -> list[Action]:
    if not nodes:
        return []
    return [
        Action(
            text=f"On {listed(nodes)} devices are in use: let their pods end before the plugin is "
            "restarted, else it may not find those devices again."
        )
    ]


RULE = DiagnosisRule(
    name="devices-came-later",
    severity=Severity.ERROR,
    level=3,
    references=("sriov#276", "sriov#178"),
    cases=("ZERO-8",),
    helped_by=frozenset(
        {
            Need.NODES,
            Need.PODS,
            Need.DAEMON_SETS,
            Need.LOGS,
            Need.CONFIG_MAPS,
            Need.NODE_EVIDENCE,
            Need.HISTORY,
        }
    ),
    supersedes=frozenset({"driver-not-bound", "plugin-never-registers", "selectors-match-nothing"}),
    check=_check,
)
