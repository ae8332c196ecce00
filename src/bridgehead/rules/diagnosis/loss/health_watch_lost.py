"""A plugin has lost its watch over a device, and never sees that the device is back.

Finds: a node with capacity and no healthy device for longer than six minutes, whose plugin says
that the path of a device has gone, where that path is there again or the plugin watches a folder
that its service makes anew.

Why: the watch dies with the folder that was removed. The one that is made after it is another, and
the plugin hears nothing from it: its devices stay unhealthy for ever.

Sure: capacity is intact, so the plugin is connected; the device or socket exists on the node
(`ls -l` it there). A plugin that watches the parent folder sees it come back.

Do: restart the plugin's pod on that node.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.losing import connected
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.remedies import restart_plugins
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause, shown
from bridgehead.core.diagnose.telling_lines import Quote
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_PATH = re.compile(r"/[\w./-]+")
_AGAIN = re.compile(r"re-?created|directory", re.IGNORECASE)


def _check(scene: Scene) -> Iterable[Cause]:
    found: dict[tuple[str, str], tuple[Quote, Evidence | None]] = {}
    posts = []
    for post in scene.posts:
        quote = _gone_path(scene, post)
        back = _back(scene, post, quote) if quote else None
        if quote and (back or _AGAIN.search(quote.text)):
            found[post.plugin.component.ref, post.node.name] = quote, back
            posts.append(post)
    for group in by_plugin(posts):
        yield _cause(scene, group, found)


def _gone_path(scene: Scene, post: Post) -> Quote | None:
    """The line about a path that has gone, where the plugin is connected and all is unhealthy."""
    if not post.failing or not post.settled:
        return None
    intact = [
        name
        for name in post.short
        if not post.allocatable(name) and connected(scene, post, name) is True
    ]
    quotes = [post.quotes[key] for key in ("path-gone", "device-unhealthy") if key in post.quotes]
    return next((it for it in quotes if intact and _PATH.search(it.text)), None)


def _back(scene: Scene, post: Post, quote: Quote) -> Evidence | None:
    """That the path is there again, where the node was looked at."""
    seen = scene.observed.evidence.get(post.node.name)
    paths = set(_PATH.findall(quote.text))
    there = sorted(paths & set(seen.devices or ())) if seen else []
    return Evidence(f"files of node {post.node.name}", f"{there[0]} is there") if there else None


def _cause(
    scene: Scene,
    posts: Sequence[Post],
    found: dict[tuple[str, str], tuple[Quote, Evidence | None]],
) -> Cause:
    component = posts[0].plugin.component
    nodes = [post.node.name for post in posts]
    lines = [found[component.ref, node] for node in nodes]
    return scoped_cause(
        scene,
        posts,
        message=f"{component.ref} has lost its watch over a device on {listed(nodes)} and does not "
        "see that it is back",
        evidence=[
            *(quote.evidence for quote, _ in lines[:3]),
            *(back for _, back in lines[:2] if back),
            *shown(posts),
        ],
        refuted_by="the path missing on the node",
        blame=Blame.VERSION,
        rollback=RollbackHelps.NO,
        ruled_out=[RuledOut("a lost connection", "capacity is intact: the plugin is connected")],
        actions=restart_plugins((post.pod, post.node.name) for post in posts),
        confidence=Confidence.HIGH if all(back for _, back in lines) else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="health-watch-lost",
    severity=Severity.ERROR,
    level=3,
    references=("kubevirt PR#18669",),
    cases=("LOSS-3",),
    helped_by=frozenset(
        {Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.HISTORY, Need.NODE_EVIDENCE}
    ),
    supersedes=frozenset({"devices-unhealthy"}),
    check=_check,
)
