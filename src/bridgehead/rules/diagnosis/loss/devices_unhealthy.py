"""A plugin takes some or all devices of a node for unhealthy.

Finds: a node whose allocatable devices are fewer than its capacity, where the plugin is connected:
some are healthy, or its log calls them unhealthy, or 0 healthy ones have lasted for six minutes.

Why: unhealthy devices are handed to nobody. Pods that hold them go on and cannot restart there.
Many plugins never take such a verdict back before they start anew.

Sure: within five minutes after a plugin has gone the node shows N/0 as well; after that only a
connected plugin does. The plugin's log names the devices.

Do: judge the device with the vendor's tool first. If it is sound, restart the plugin's pod; if all
nodes of a new version show it, go back to the former one.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.losing import (
    NOT_REGISTERED,
    NOTHING_FOUND,
    connected,
    just_started,
    says_any,
)
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.remedies import compare_former, restart_plugin, show_log
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause, shown
from bridgehead.core.diagnose.version_or_node import begun_with_version, may_be_of_version
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence

_TELL_MORE = ("device-error", "device-lost", "card-reset", "stream-ended")


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    posts = []
    for post in scene.posts:
        open_names, sure = _judged(scene, post)
        if sure:
            posts.append(post)
        elif open_names:
            yield Doubt(
                why=f"{post.node.name} shows {open_names[0]} {post.shown(open_names[0])}: within "
                "five minutes after a plugin has gone this looks like unhealthy devices"
            )
    for group in by_plugin(posts):
        yield _cause(scene, group)


def _judged(scene: Scene, post: Post) -> tuple[tuple[str, ...], bool]:
    """Names for which it is open, and whether it is sure for one of them."""
    if not post.failing or not post.settled or just_started(scene, post.node.name):
        return (), False
    if says_any(post, _TELL_MORE, NOT_REGISTERED, NOTHING_FOUND):
        return (), False
    fewer = [
        name
        for name in post.short
        for offer in [post.node.offer(name)]
        if offer is not None and offer.allocatable < offer.capacity
    ]
    found = {name: connected(scene, post, name) for name in fewer}
    unsure = tuple(name for name, sure in found.items() if sure is None and _spoken(post, name))
    return unsure, any(found.values())


def _spoken(post: Post, name: str) -> bool:
    """Whether the plugin's log speaks of the name and of success; so it is too where none was read.

    A plugin that has not registered the name is no matter of health.
    """
    if not post.logs:
        return True
    lines = (line for _, log in post.logs for line in log.lines)
    return "registered" in post.quotes and any(f"{name}'" in it or f"{name} " in it for it in lines)


def _cause(scene: Scene, posts: Sequence[Post]) -> Cause:
    component, family = posts[0].plugin.component, posts[0].plugin.family
    nodes = [post.node.name for post in posts]
    lines = [post.quotes.get("device-unhealthy") for post in posts]
    every = all(not post.allocatable(name) for post in posts for name in post.short)
    version = begun_with_version(scene, posts) is not None
    open_still = not version and may_be_of_version(scene, posts)
    otherwise = RollbackHelps.UNKNOWN if open_still else RollbackHelps.NO
    latched = "" if family.latches_unhealthy is False else "if the device is sound"
    return scoped_cause(
        scene,
        posts,
        message=f"{component.ref} takes {'all' if every else 'some'} devices on {listed(nodes)} "
        "for unhealthy",
        evidence=[
            *(line.evidence for line in lines[:3] if line),
            *shown(posts),
            *_histories(scene, posts),
        ],
        refuted_by="the vendor's tool showing that the device fails no test, and a plugin that has "
        "started since and still refuses it",
        blame=Blame.BELOW,
        by_past=True,
        rollback=None if version else otherwise,
        ruled_out=[RuledOut("a plugin that has gone", "it is connected: it tells of its devices")],
        actions=[
            *([compare_former(component)] if open_still else []),
            Action(
                text="Judge the devices that the log names with the vendor's tool on the node, "
                "and at the kernel's messages."
            ),
            *(show_log(post.pod) for post in posts[:1] if post.pod),
            *([restart_plugin(posts[0].pod, nodes[0], latched)] if latched else []),
        ],
        severity=None if every else Severity.WARNING,
    )


def _histories(scene: Scene, posts: Sequence[Post]) -> list[Evidence]:
    found = [scene.trajectory(post.node.name, name) for post in posts for name in post.short]
    return [item.evidence for item in found if item.stretches][:2]


RULE = DiagnosisRule(
    name="devices-unhealthy",
    severity=Severity.ERROR,
    level=3,
    references=("kubernetes#60388", "kubernetes#79228", "NVIDIA PR#403"),
    cases=("LOSS-5",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.HISTORY}),
    check=_check,
)
