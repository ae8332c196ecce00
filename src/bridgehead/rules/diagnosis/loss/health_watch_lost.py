"""A plugin has lost its watch over a device, and never sees that the device is back.

Finds: a node with capacity and no healthy device, whose plugin says that the path of a device has
gone, where that path is there again, or where it lies in a folder that its service makes anew at
each start (below /run, or as the log says) and has been gone for longer than six minutes.

Why: the watch dies with the folder that was removed. The one that is made after it is another, and
the plugin hears nothing from it: its devices stay unhealthy for ever. A service is back within
seconds of its restart; hardware that has failed has its files in /dev and /sys.

Sure: capacity is intact, so the plugin is connected; the device or socket exists on the node
(`ls -l` it there). A plugin that watches the parent folder sees it come back.

Do: look whether the path is there and start its service if not; then restart the plugin's pod on
that node.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.losing import GRACE, connected
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
_OF_A_SERVICE = re.compile(r"(?<![\w/])(/var)?/run/(?!nvidia/driver)[\w./-]+")
"""Run-time folders, which systemd removes when their service ends and makes anew when it starts."""


def _check(scene: Scene) -> Iterable[Cause]:
    found: dict[tuple[str, str], tuple[Quote, Evidence | None]] = {}
    posts = []
    for post in scene.posts:
        quote = _gone_path(scene, post)
        back = _back(scene, post, quote) if quote else None
        if quote and (back or _AGAIN.search(quote.text) or _service_is_back(scene, post, quote)):
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


def _service_is_back(scene: Scene, post: Post, quote: Quote) -> bool:
    """Whether a path that a service makes has been gone for longer than a restart of it takes."""
    dropped = [scene.trajectory(post.node.name, name).dropped_at for name in post.short]
    times = [at for at in (quote.at, *dropped) if at is not None]
    long = bool(times) and scene.now - max(times) > GRACE
    return long and _OF_A_SERVICE.search(quote.text) is not None


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
        message=_message(component.ref, listed(nodes), seen=all(back for _, back in lines)),
        evidence=[
            *(quote.evidence for quote, _ in lines[:3]),
            *(back for _, back in lines[:2] if back),
            *shown(posts),
        ],
        refuted_by="the path missing on the node",
        blame=Blame.VERSION,
        rollback=RollbackHelps.NO,
        ruled_out=[RuledOut("a lost connection", "capacity is intact: the plugin is connected")],
        actions=[
            *_look_first([quote for quote, back in lines if not back], nodes[0]),
            *restart_plugins((post.pod, post.node.name) for post in posts),
        ],
        confidence=Confidence.HIGH if all(back for _, back in lines) else Confidence.MEDIUM,
    )


def _message(ref: str, nodes: str, *, seen: bool) -> str:
    if seen:
        return f"{ref} has lost its watch over a device on {nodes} and does not see that it is back"
    return (
        f"{ref} has most likely lost its watch over a device on {nodes}: the service behind it "
        "makes its folder anew at each start, and the plugin has not seen it again"
    )


def _look_first(quotes: Sequence[Quote], node: str) -> list[Action]:
    """Where nobody has seen that the path is back: that comes before the restart."""
    paths = [path for quote in quotes[:1] for path in _PATH.findall(quote.text)]
    return [
        Action(
            text=f"See that {path} is there; if not, its service has to be started first",
            command=f"kubectl debug node/{node} -it --image=busybox --profile=sysadmin -- "
            f"chroot /host ls -l {path}",
        )
        for path in paths[:1]
    ]


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
