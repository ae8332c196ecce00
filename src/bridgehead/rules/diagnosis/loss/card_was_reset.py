"""A card of a node was reset, and its plugin offers none of the node's cards since.

Finds: a node without healthy devices where the plugin's log, or a pod on the node, tells of the
reset of a card, and the plugin's process is older than a minute.

Why: a scanner that meets a card in the middle of its reset can lose track of all of them, and does
not find them again by itself.

Sure: the reset comes before the fall, and other nodes with the same version are fine.

Do: restart the plugin's pod on that node, and use a version of plugin and driver that copes with a
reset.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.losing import gone
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.remedies import restart_plugins
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import scoped_cause, shown
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import canonical, child, children

_COMMANDS = ("xbutil reset", "xbutil --reset", "nvidia-smi --gpu-reset")


def _check(scene: Scene) -> Iterable[Cause]:
    found: dict[tuple[str, str], Evidence] = {}
    posts = []
    for post in scene.posts:
        if not gone(post):
            continue
        quote = post.quotes.get("card-reset")
        proof = quote.evidence if quote else _by_a_pod(scene, post)
        if proof:
            found[post.plugin.component.ref, post.node.name] = proof
            posts.append(post)
    for group in by_plugin(posts):
        yield _cause(scene, group, found)


def _by_a_pod(scene: Scene, post: Post) -> Evidence | None:
    """A pod that holds such devices and is told to reset them, or whose log says that it has."""
    for name in post.short:
        for pod in scene.holders(post.node.name, name):
            raw = scene.raw_pods.get((pod.namespace, pod.name), {})
            told = canonical(
                [
                    [it.get("command"), it.get("args")]
                    for it in children(child(raw, "spec"), "containers")
                ]
            ).replace('","', " ")
            command = next((it for it in _COMMANDS if it in told), "")
            if command:
                return Evidence(f"spec of pod {pod.ref}", command)
            for key, log in scene.observed.logs_of(pod):
                for number, line in enumerate(log.lines):
                    if any(it in line for it in _COMMANDS):
                        return Evidence(f"log {key}:{log.number_of(number)}", line)
    return None


def _cause(scene: Scene, posts: Sequence[Post], found: dict[tuple[str, str], Evidence]) -> Cause:
    component = posts[0].plugin.component
    nodes = [post.node.name for post in posts]
    return scoped_cause(
        scene,
        posts,
        message=f"a card was reset on {listed(nodes)}, and {component.ref} has not found the "
        "node's cards again",
        evidence=[*(found[component.ref, node] for node in nodes[:3]), *shown(posts)],
        refuted_by="a fall that came before the reset",
        blame=Blame.VERSION,
        rollback=RollbackHelps.NO,
        ruled_out=[RuledOut("a restart of the plugin", "its process is older than the reset")],
        actions=restart_plugins((post.pod, post.node.name) for post in posts),
    )


RULE = DiagnosisRule(
    name="card-was-reset",
    severity=Severity.ERROR,
    level=3,
    references=("Xilinx/FPGA_as_a_Service#17",),
    cases=("LOSS-9",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS}),
    supersedes=frozenset({"devices-unhealthy", "stream-ended"}),
    check=_check,
)
