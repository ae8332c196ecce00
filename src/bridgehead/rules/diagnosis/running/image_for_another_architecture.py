"""The image is built for another architecture than the node's.

Finds: a plugin's container that has no image for the node's architecture, or whose program the
kernel cannot execute.

Why: an image of one architecture, or a manifest list that was put together wrongly, works on some
nodes and on others not. The plugin never starts there and the node offers nothing.

Sure: the runtime says no match for platform in manifest, or the log says exec format error;
nodeInfo.architecture of the node differs from that of nodes where it works.

Do: use an image for all architectures of the cluster, or select kubernetes.io/arch; until then go
back.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, by_component
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.log_faults import crash_quotes
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.pull_message import OF_ARCHITECTURE
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.image_index import index_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    troubled = ailing(scene, Trouble.PULL, Trouble.START, Trouble.CRASH)
    for items in by_component(item for item in troubled if _proof(item)):
        yield _cause(scene, items, _proof(items[0])[0])


def _proof(item: Ailing) -> list[Evidence]:
    said = item.match(OF_ARCHITECTURE)
    quotes = [it.evidence for it in crash_quotes(item) if it.key == "wrong-architecture"]
    return [*([said[0]] if said else []), *quotes]


def _cause(scene: Scene, items: Sequence[Ailing], proof: Evidence) -> Cause:
    first = items[0]
    posts = [item.post for item in items]
    component = first.post.plugin.component
    verdict = version_or_node(scene, posts, Blame.VERSION)
    arches = sorted({post.node.arch for post in posts if post.node.arch})
    image = first.container.image
    index = index_of(scene.observed, image)
    select = remedies.edit(
        component,
        "Use an image for every architecture, or select the label kubernetes.io/arch.",
    )
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message=f"image {image} does not run on {', '.join(arches) or 'their architecture'}",
        blame=Blame.VERSION,
        evidence=(
            proof,
            Evidence(f"nodeInfo of node {first.post.node.name}", f"architecture {arches[0]}")
            if arches
            else proof,
            *([index.evidence] if index is not None and index.architectures else []),
        ),
        refuted_by=f"a node of architecture {arches[0] if arches else 'the same'} that runs it",
        rollback=verdict.rollback,
        actions=(*back, select),
        ruled_out=(RuledOut("a missing tag", "the registry has the image, for other platforms"),),
    )


RULE = DiagnosisRule(
    name="image-for-another-architecture",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-2",),
    references=("NVIDIA#155", "ROCm#151"),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS, Need.NODES}),
    helped_by=frozenset({Need.EVENTS, Need.LOGS, Need.REGISTRY, Need.REVISIONS}),
    supersedes=frozenset({"plugin-crashes", "image-not-pulled"}),
    check=_check,
)
