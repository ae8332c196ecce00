"""The MIG devices of a node do not suit the plugin's strategy, or what pods ask for.

Finds: NVIDIA plugins that end or offer nothing with words about MIG devices or configuration, nodes
whose MIG manager has failed, and waiting pods that ask for whole GPUs of nodes that are divided.

Why: the strategy "single" needs the same MIG devices on every GPU in MIG mode; one empty GPU stops
the plugin of the node. Under "mixed" the devices have names of their own, nvidia.com/mig-*, and
nvidia.com/gpu is 0.

Sure: read the labels nvidia.com/mig.strategy, mig.config and mig.config.state of the node, and on
the node `nvidia-smi -L`.

Do: one geometry for all GPUs of the node, or the strategy "mixed"; and ask for offered names.
"""

from collections import defaultdict
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import explained
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.shortage import Lack, Shortage, lacks
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.node import Node

_STATE = "nvidia.com/mig.config.state"
_LABELS = ("nvidia.com/mig.strategy", "nvidia.com/mig.config", _STATE)
_WHOLE, _PART = "nvidia.com/gpu", "nvidia.com/mig-"


def _check(scene: Scene) -> Iterable[Cause]:
    by_plugin: dict[str, list[Post]] = defaultdict(list)
    for post in scene.posts:
        if post.plugin.family.name == "nvidia" and post.failing and _speaks(post):
            by_plugin[post.plugin.component.ref].append(post)
    for _, posts in sorted(by_plugin.items()):
        yield _of_plugin(scene, posts)
    told = {post.node.name for posts in by_plugin.values() for post in posts}
    for node in scene.nodes.values():
        if node.labels.get(_STATE) == "failed" and node.name not in told:
            yield _of_manager(node)
    for lack in lacks(scene, Shortage.NEVER_REGISTERED, Shortage.PLUGIN_LOST):
        if lack.waiting.resource == _WHOLE and (divided := _divided(scene)):
            yield _of_pods(lack, divided)


def _speaks(post: Post) -> bool:
    return post.quote("mig-geometry") is not None or post.node.labels.get(_STATE) == "failed"


def _labels(node: Node) -> tuple[Evidence, ...]:
    found = ", ".join(f"{key}={node.labels[key]}" for key in _LABELS if key in node.labels)
    return (Evidence(f"labels of node {node.name}", found),) if found else ()


def _of_plugin(scene: Scene, posts: list[Post]) -> Cause:
    first = posts[0]
    quotes = [quote for post in posts if (quote := post.quote("mig-geometry")) is not None]
    nodes = ", ".join(post.node.name for post in posts)
    component = first.plugin.component
    return Cause(
        message=f"the MIG devices of {nodes} do not suit the plugin's strategy: it offers nothing",
        blame=Blame.CONFIGURATION,
        object=ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name),
        nodes=tuple(post.node.name for post in posts),
        explains=explained(scene, posts),
        evidence=(
            *(quote.evidence for quote in quotes[:2]),
            *_labels(first.node),
            *(
                Evidence(f"status of node {post.node.name}", f"{name} {post.shown(name)}")
                for post in posts[:2]
                for name in post.names[:1]
            ),
        ),
        refuted_by="all GPUs of the node in MIG mode have the same MIG devices",
        ruled_out=(RuledOut("a missing driver", "the plugin has listed the GPUs"),),
        actions=_actions(first.node.name),
        rollback_helps=RollbackHelps.NO,
    )


def _of_manager(node: Node) -> Cause:
    return Cause(
        message=f"the MIG manager could not divide the GPUs of node {node.name} as its label asks",
        blame=Blame.CONFIGURATION,
        object=ObjectRef("v1", "Node", "", node.name),
        nodes=(node.name,),
        evidence=_labels(node),
        refuted_by=f"{_STATE} becomes success",
        actions=_actions(node.name),
        rollback_helps=RollbackHelps.NO,
    )


def _divided(scene: Scene) -> dict[str, Evidence]:
    """Nodes that offer MIG devices by their own names."""
    found = {}
    for node in scene.nodes.values():
        names = [
            n
            for n, offer in sorted(node.offers.items())
            if n.startswith(_PART) and offer.allocatable
        ]
        if names:
            text = ", ".join(f"{name} {node.offers[name]}" for name in names)
            found[node.name] = Evidence(f"status of node {node.name}", text)
    return found


def _of_pods(lack: Lack, divided: dict[str, Evidence]) -> Cause:
    waiting = lack.waiting
    first = next(iter(divided.values()))
    return Cause(
        message=f"{waiting.who} {waiting.verb} {_WHOLE}, and the GPUs are divided: nodes offer "
        f"{first.text}",
        blame=Blame.CONFIGURATION,
        object=waiting.object,
        nodes=tuple(divided),
        explains=waiting.explained,
        evidence=(*waiting.evidence, *divided.values())[:4],
        refuted_by=f"a node offers {_WHOLE}",
        ruled_out=(RuledOut("a lost plugin", "it is connected and offers MIG devices"),),
        actions=(
            Action(text="Ask for a MIG device by its name, or choose the strategy single"),
            *_actions(next(iter(divided))),
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
    )


def _actions(node: str) -> tuple[Action, ...]:
    return (
        Action(
            text="Read how the node is divided and what its labels ask; then use one geometry for "
            "all its GPUs, or the strategy mixed",
            command=f"kubectl get node {node} -L nvidia.com/mig.strategy,nvidia.com/mig.config,"
            f"{_STATE}",
        ),
        Action(
            text=f"To divide the GPUs of {node} anew, empty it first: instances that are in use "
            "cannot be changed.",
            command=f"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data",
            risk=Risk.WORKLOADS,
            rung="runbook",
        ),
    )


RULE = DiagnosisRule(
    name="mig-geometry",
    severity=Severity.ERROR,
    level=3,
    cases=("CONF-1",),
    supersedes=frozenset({"requested-name-not-offered", "plugin-crashes", "dead-resource-name"}),
    references=(
        "NVIDIA/k8s-device-plugin#253",
        "NVIDIA/k8s-device-plugin PR#806",
        "nebuly-ai/nos#25",
        "NVIDIA/gpu-operator#603",
    ),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS}),
    check=_check,
)
