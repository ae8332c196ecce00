"""A plugin runs, reports nothing and never registers.

Finds: a plugin whose pod is ready for more than a minute, whose log was read from its start and has
neither a success nor any known fault, on a node that shows none of the devices that it should.

Why: readiness says nothing about registration: most plugins have no probe for it. One that hangs in
its initialisation is Ready and useless for ever.

Sure: no line of a registration since the process began, and no devices in that time. A plugin that
began less than a minute ago, or whose log was cut, proves nothing.

Do: read its whole log, and go back to the former version if that one registers. Where the same
version registers on other nodes, or nothing tells, restart its pod on one node.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Blame, Cause
from bridgehead.core.diagnose.later_change import later_changes
from bridgehead.core.diagnose.losing import (
    just_started,
    never_spoke,
    offered_while_alive,
    restarted_under,
)
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed, reach_of
from bridgehead.core.diagnose.remedies import restart_plugin, show_log
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.told import unread_logs
from bridgehead.core.diagnose.version_or_node import begun_with_version
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.confidence import Confidence

_TELLS_NOTHING = frozenset(
    {"device-listed", "start-failed", "registration-failed", "path-gone", "kubelet-back"}
)


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    yield from unread_logs(scene)
    posts = [post for post in scene.posts if _silent(scene, post)]
    for group in by_plugin(posts):
        yield _cause(scene, group)


def _silent(scene: Scene, post: Post) -> bool:
    if not (post.failing and post.settled and post.pod and post.pod.ready) or post.alive:
        return False
    if not never_spoke(post):
        return False
    if set(post.quotes) - _TELLS_NOTHING or later_changes(scene, post):
        return False
    if just_started(scene, post.node.name) or _missed_restart(scene, post):
        return False
    was_here = any(name in post.node.offers for name in post.names)
    missed = bool(post.short) or bool(post.vain) or was_here
    return missed and not any(offered_while_alive(scene, post, name) for name in post.names)


def _missed_restart(scene: Scene, post: Post) -> bool:
    """Whether it lived through a start of the kubelet, and is no other version than sound ones."""
    if restarted_under(scene, post) is None:
        return False
    return reach_of(scene, [post]).blame is not Blame.VERSION


def _cause(scene: Scene, posts: Sequence[Post]) -> Cause:
    component = posts[0].plugin.component
    blame = Blame.VERSION if begun_with_version(scene, posts) else reach_of(scene, posts).blame
    # A new process of a version that does not register does not register either.
    again = [restart_plugin(posts[0].pod, posts[0].node.name)] if blame is not Blame.VERSION else []
    return scoped_cause(
        scene,
        posts,
        message=f"{component.ref} runs on {listed(post.node.name for post in posts)} and never "
        f"registers {offering(posts)}: its log shows neither success nor a known fault",
        evidence=[*_last_lines(posts), *_ages(posts), *shown(posts)],
        refuted_by="a line in the plugin's log that says it has registered",
        blame=Blame.VERSION,
        by_past=True,
        actions=[
            *(show_log(post.pod) for post in posts[:1] if post.pod),
            *again,
        ],
        confidence=Confidence.MEDIUM if blame else Confidence.LOW,
    )


def _last_lines(posts: Sequence[Post]) -> list[Evidence]:
    found = []
    for post in posts[:2]:
        for key, log in post.logs:
            if log.lines and not key.previous:
                number = log.number_of(len(log.lines) - 1)
                found.append(Evidence(f"log {key}:{number}", log.lines[-1]))
    return found


def _ages(posts: Sequence[Post]) -> list[Evidence]:
    return [
        Evidence(f"status of pod {post.pod.ref}", f"Ready, running since {stamp(post.started)}")
        for post in posts[:2]
        if post.pod and post.started
    ]


RULE = DiagnosisRule(
    name="plugin-never-registers",
    severity=Severity.ERROR,
    confidence=Confidence.MEDIUM,
    level=3,
    references=("device plugins: registration, Kubernetes documentation",),
    helped_by=frozenset(
        {Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.EVENTS, Need.HISTORY}
    ),
    check=_check,
)
