"""An init container of the plugin never ends.

Finds: plugin pods that have not come past an init container for five minutes, which neither fails
nor ends, while no driver or toolkit that it could wait for is seen to fail on the node.

Why: init containers of operators wait for a driver or a toolkit, also for one that is installed on
the host and that no pod brings. The plugin is sound and has not been started.

Sure: kubectl get pods shows Init:0/1; the log of the init container says what it looks for.

Do: provide what it waits for on the node, such as the driver on the host. Nothing at the plugin
helps.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RuledOut
from bridgehead.core.diagnose.operand_faults import operand_faults, waiting_in
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.pod import Container

_LONG = 300.0


def _check(scene: Scene) -> Iterable[Cause]:
    failing = {item.pod.node for item in operand_faults(scene)}
    waiting = [
        post for post in scene.posts if post.node.name not in failing and _waits_long(scene, post)
    ]
    for posts in by_plugin(waiting):
        container = waiting_in(posts[0])
        if container:
            yield _cause(scene, posts, container)


def _waits_long(scene: Scene, post: Post) -> bool:
    container = waiting_in(post)
    if container is None or post.pod is None or container.state != "running":
        return False
    return not container.restarts and scene.now - post.pod.created >= _LONG


def _cause(scene: Scene, posts: Sequence[Post], container: Container) -> Cause:
    first = posts[0]
    pod = first.pod
    assert pod is not None
    verdict = version_or_node(scene, posts, Blame.BELOW)
    return plugin_cause(
        scene,
        posts,
        message=f"its init container {container.name} waits without an end, and nothing is seen "
        "to fail that it could wait for",
        blame=verdict.blame,
        evidence=(
            Evidence(f"status of pod {pod.ref}", f"init container {container.name} is running"),
            *_last_line(first, container),
        ),
        refuted_by="the init container ended, and the plugin still not started",
        rollback=verdict.rollback,
        actions=(
            Action(
                text="Read what it waits for.",
                command=f"kubectl logs -n {pod.namespace} {pod.name} -c {container.name} --tail=50",
            ),
        ),
        ruled_out=(
            RuledOut("the plugin's own program", "it has not been started"),
            *verdict.ruled_out,
        ),
        confidence=Confidence.MEDIUM,
    )


def _last_line(post: Post, container: Container) -> tuple[Evidence, ...]:
    """The last line of its log that is not empty."""
    for key, log in post.logs:
        if key.container == container.name and not key.previous:
            lines = [(index, line) for index, line in enumerate(log.lines) if line.strip()]
            if lines:
                index, line = lines[-1]
                return (Evidence(f"log {key}:{log.number_of(index)}", line),)
    return ()


RULE = DiagnosisRule(
    name="init-container-never-ends",
    severity=Severity.ERROR,
    level=2,
    references=("https://github.com/NVIDIA/gpu-operator/tree/main/validator",),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS}),
    check=_check,
)
