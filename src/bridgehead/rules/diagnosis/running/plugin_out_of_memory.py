"""The plugin is killed for its memory limit.

Finds: a plugin's container whose last end was OOMKilled and that does not run, or has been killed
more than once and runs for less than an hour.

Why: a limit that was sized for one version and few devices is passed on larger nodes. With each
kill the devices go to N/0 and come back with the next start; pods are refused in between.

Sure: lastState.terminated.reason is OOMKilled, exit code 137, and the log often ends in
mid-sentence or is empty; nodes with fewer devices are fine.

Do: raise resources.limits.memory, or leave the limit out; go back if the former version needed
less.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import children, text
from bridgehead.core.model.pod import Container
from bridgehead.core.model.times import epoch

_LATELY = 3600.0


def _check(scene: Scene) -> Iterable[Cause]:
    killed = {
        (post.plugin.component.ref, post.node.name): item
        for post in scene.posts
        for item in [_killed(post)]
        if item
    }
    mine = [it for it in scene.posts if (it.plugin.component.ref, it.node.name) in killed]
    for posts in by_plugin(mine):
        yield _cause(scene, posts, killed[posts[0].plugin.component.ref, posts[0].node.name])


def _killed(post: Post) -> Container | None:
    if post.pod is None or post.pod.deleting:
        return None
    for item in (*post.pod.init_containers, *post.pod.containers):
        if item.reason == "OOMKilled":
            return item
        if item.last_reason == "OOMKilled" and (
            item.state == "waiting" or (item.restarts > 1 and _lately(post, item))
        ):
            return item
    return None


def _lately(post: Post, container: Container) -> bool:
    for item in children(post.raw, "status", "containerStatuses"):
        if text(item, "name") == container.name:
            at = epoch(text(item, "lastState", "terminated", "finishedAt"))
            return at is not None and post.now - at < _LATELY
    return False


def _cause(scene: Scene, posts: Sequence[Post], container: Container) -> Cause:
    first = posts[0]
    pod = first.pod
    assert pod is not None
    component = first.plugin.component
    verdict = version_or_node(scene, posts, Blame.CONFIGURATION)
    limit = _limit(first, container.name)
    drift = verdict.blame is Blame.DRIFT
    ended = f"OOMKilled, exit code 137, {container.restarts} restarts"
    raise_it = remedies.edit(
        component,
        f"Raise the memory limit of container {container.name}{f' ({limit})' if limit else ''}, "
        "or leave it out.",
    )
    return plugin_cause(
        scene,
        posts,
        message=f"container {container.name} is killed for its memory limit"
        f"{f' of {limit}' if limit else ''}",
        blame=Blame.CONFIGURATION if drift else verdict.blame,
        evidence=(
            Evidence(f"status of pod {pod.ref}, container {container.name}", ended),
            *((Evidence(f"spec of pod {pod.ref}", f"limits.memory {limit}"),) if limit else ()),
        ),
        refuted_by="a limit several times as high, and the container is killed again",
        rollback=RollbackHelps.NO if drift else verdict.rollback,
        actions=(*((remedies.roll_back(component),) if verdict.of_version else ()), raise_it),
        ruled_out=(
            RuledOut("a crash of the plugin", "the kernel killed it: OOMKilled"),
            *(() if drift else verdict.ruled_out),
        ),
    )


def _limit(post: Post, container: str) -> str:
    for spec in (post.raw, post.plugin.component.template):
        for item in children(spec, "spec", "containers"):
            if text(item, "name") == container:
                return text(item, "resources", "limits", "memory")
    return ""


RULE = DiagnosisRule(
    name="plugin-out-of-memory",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-3",),
    references=(
        "GoogleCloudPlatform/container-engine-accelerators#202",
        "gdp#17",
        "zalando-incubator/kubernetes-on-aws#7065",
    ),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
