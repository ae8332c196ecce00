"""A node has the device, and no kernel driver has taken it.

Finds: a plugin that finds nothing, or says so by offering nothing, on a node that should have a
device by its labels or its earlier readings, with no other fault in the plugin's log.

Why: the device is seen on the bus and no driver is bound to it: a kernel that is too old, firmware
that is missing, or a virtual machine without it passed through. There is no device node, so there
is nothing to offer.

Sure: the PCI label is there and the device node is not (`ls /dev/dri`, `lspci -k`). Where discovery
lists devices and takes none it is a selector; where they came later, a restart helps.

Do: install the kernel, firmware or driver that binds the device; look at the kernel's messages.
Where all nodes that fail run a new version, compare it with the former one first.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.device_hints import device_hint, lacks_device
from bridgehead.core.diagnose.later_change import later_changes
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed, reach_of
from bridgehead.core.diagnose.remedies import compare_former, restart_plugin
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.telling_lines import Quote
from bridgehead.core.diagnose.version_or_node import begun_with_version, may_be_of_version
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_NOTHING = ("driver-missing", "no-device-found", "no-device-selected")
_HARMLESS = (*_NOTHING, "registered", "kubelet-back", "registration-failed", "start-failed")


def _check(scene: Scene) -> Iterable[Cause]:
    posts = [post for post in scene.posts if _bare(scene, post)]
    for group in by_plugin(posts):
        said = any(post.quote("driver-missing") for post in group)
        if said or reach_of(scene, group).blame is not Blame.VERSION:
            yield _cause(scene, group)


def _bare(scene: Scene, post: Post) -> bool:
    """Whether the plugin finds nothing where a device should be, and nothing else is told."""
    if not post.failing or post.alive or not post.logs or lacks_device(post):
        return False
    if any(key not in _HARMLESS for key in post.quotes) or later_changes(scene, post):
        return False
    quote = post.quote(*_NOTHING)
    if quote:
        return device_hint(scene, post) is not None
    return _quiet(post)


def _quiet(post: Post) -> bool:
    """Whether a plugin that goes on looking says nothing, though its device is on the bus."""
    family = post.plugin.family
    looks_again = family.discovers_once is False
    on_bus = any("pci-" in hint for hint in family.hints_in(post.node.labels))
    return looks_again and on_bus and post.settled and "registered" not in post.quotes


def _cause(scene: Scene, posts: Sequence[Post]) -> Cause:
    plugin, nodes = posts[0].plugin, [post.node.name for post in posts]
    quotes = [quote for post in posts for quote in [post.quote(*_NOTHING)] if quote]
    hints = [hint for post in posts[:2] for hint in [device_hint(scene, post)] if hint]
    # An empty pool alone may also be that of a selector, or of a plugin that looked too early.
    sure = any(quote.key == "driver-missing" for quote in quotes)
    of_version = _said_by_version(scene, posts)
    open_still = not of_version and may_be_of_version(scene, posts)
    otherwise = RollbackHelps.UNKNOWN if open_still else RollbackHelps.NO
    return scoped_cause(
        scene,
        posts,
        message=f"{plugin.component.ref} finds no device on {listed(nodes)}, where one should be: "
        f"no driver is bound to it, so {offering(posts)} has none",
        evidence=[*_lines(quotes), *hints, *_no_device_node(scene, nodes), *shown(posts)],
        refuted_by="the device node on the node, with the plugin started after it had appeared",
        blame=Blame.BELOW,
        by_past=True,
        rollback=None if of_version else otherwise,
        ruled_out=[RuledOut("a connection problem", "the plugin reports no error of the kubelet")],
        actions=[
            *([compare_former(plugin.component)] if open_still else []),
            _driver(nodes[0], of_version=of_version),
            *_once_more(scene, posts),
        ],
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


def _driver(node: str, *, of_version: bool) -> Action:
    """A person's to repair, unless the version is to blame: then it is only to be looked at."""
    look = "whether a driver is bound to the device, and at the kernel's messages."
    return Action(
        text=f"Look {look}"
        if of_version
        else f"Give {node} a kernel, firmware and driver that know the device. Look first {look}",
        command=f"kubectl debug node/{node} -it --image=busybox --profile=sysadmin -- "
        "chroot /host sh -c 'lspci -k; ls -l /dev/dri /dev; dmesg | tail -50'",
        rung="" if of_version else "runbook",
    )


def _said_by_version(scene: Scene, posts: Sequence[Post]) -> bool:
    return begun_with_version(scene, posts) is not None


def _lines(quotes: Sequence[Quote]) -> list[Evidence]:
    return [quote.evidence for quote in quotes[:3]]


def _no_device_node(scene: Scene, nodes: Iterable[str]) -> list[Evidence]:
    """That /dev of a node was looked at and has no folder of graphics devices."""
    found = []
    for node in nodes:
        seen = scene.observed.evidence.get(node)
        if seen is not None and seen.devices is not None:
            graphics = [path for path in seen.devices if "/dri/" in path]
            if not graphics:
                found.append(Evidence(f"/dev of node {node}", "nothing below /dev/dri"))
    return found[:2]


def _once_more(scene: Scene, posts: Sequence[Post]) -> list[Action]:
    """A plugin that is not known to look again may have looked too early; its devices are idle."""
    post = posts[0]
    if post.plugin.family.discovers_once is False or _said_by_version(scene, posts):
        return []
    return [restart_plugin(post.pod, post.node.name, "once, if the device node is there by now")]


RULE = DiagnosisRule(
    name="driver-not-bound",
    severity=Severity.ERROR,
    level=3,
    references=("intel#864", "intel#1514", "intel#1915"),
    cases=("ZERO-7",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.NODE_EVIDENCE}),
    supersedes=frozenset({"plugin-never-registers"}),
    check=_check,
)
