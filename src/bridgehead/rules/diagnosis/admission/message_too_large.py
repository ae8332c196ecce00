"""A plugin's list of devices is larger than gRPC takes.

Finds: refused pods, lines of a plugin's log or of a kubelet's log that say "message larger than
max".

Why: a gRPC message takes 4 MiB by default. Devices times replicas times the length of an id and
about 30 bytes pass that with some ten thousand entries. Such a list does not reach the kubelet, and
the resource is gone; a question for a preference is shorter than the list and passes as long as
that does (measured with 1.30 and 1.37). Where a plugin takes less, pods are refused at that.

Sure: the message tells both sizes. Count the entries of the resource on the node.

Do: fewer replicas, shorter ids, or several resource names; where a former version's list arrived
on these nodes, go back to it until then.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.allocation_errors import Known, known
from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, former_ran
from bridgehead.core.diagnose.refusals import (
    Refused,
    by_resource,
    clearing,
    post_of,
    refused_pods,
    told,
)
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import devices_key
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Log
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence

_LINE = re.compile(r"message larger than max \((?P<size>\d+) vs\. (?P<most>\d+)\)")


def _check(scene: Scene) -> Iterable[Cause]:
    """One cause a resource: what pods, plugins and kubelets say of it belongs together."""
    refused = {
        resource: tuple(item for item in found if known(item.said) is Known.TOO_LARGE)
        for resource, found in by_resource(refused_pods(scene)).items()
    }
    logged = _logged(scene)
    for resource in sorted({name for name, found in refused.items() if found} | set(logged)):
        yield _cause(scene, resource, refused.get(resource, ()), logged.get(resource, []))


def _cause(
    scene: Scene, resource: str, pods: tuple[Refused, ...], lines: list[tuple[Post, Evidence]]
) -> Cause:
    posts = [post for post, _ in lines]
    nodes = tuple(sorted({*(it.pod.node for it in pods), *(post.node.name for post in posts)}))
    refusing = (post_of(scene, item.pod.node, resource) for item in pods)
    helps = _former(scene, posts or [post for post in refusing if post is not None])
    evidence = (*told(pods), *(line for _, line in lines))[:4]
    return Cause(
        message=f"the list of {resource} is larger than the kubelet and its plugin can pass "
        f"on{_sizes(evidence)}, on {', '.join(nodes)}",
        blame=Blame.CONFIGURATION,
        object=ObjectRef("v1", "Node", "", nodes[0]),
        nodes=nodes,
        explains=(
            *(item.key for item in pods),
            *(devices_key(post.node.name, resource) for post in posts),
        ),
        evidence=evidence,
        refuted_by="the same message with a list of a few devices",
        ruled_out=(
            RuledOut("a lost plugin", "it is connected, or nothing would be refused")
            if pods
            else RuledOut("a plugin that died", "it runs, and would send the same list again"),
        ),
        actions=(
            *helps[1],
            Action(
                text="Count the entries; then take fewer replicas, shorter ids or more names",
                command=f"kubectl get node {nodes[0]} -o jsonpath='{{.status.capacity}}'",
                risk=Risk.NONE,
            ),
            *(clearing(pods) if pods else ()),
        ),
        rollback_helps=helps[0],
    )


def _former(scene: Scene, posts: Sequence[Post]) -> tuple[RollbackHelps, Sequence[Action]]:
    """Whether the former version is known to have sent a list that arrived; the way back to it."""
    if not posts:
        return RollbackHelps.UNKNOWN, ()
    mine = by_plugin(posts)[0]
    verdict = version_or_node(scene, mine, Blame.CONFIGURATION)
    if verdict.of_version or (verdict.blame is not Blame.DRIFT and former_ran(scene, mine)):
        return RollbackHelps.YES, (remedies.roll_back(mine[0].plugin.component),)
    return verdict.rollback, ()


def _sizes(evidence: Iterable[Evidence]) -> str:
    for item in evidence:
        if found := _LINE.search(item.text):
            return f" ({found['size']} bytes, and {found['most']} are taken)"
    return ""


def _logged(scene: Scene) -> dict[str, list[tuple[Post, Evidence]]]:
    """Such lines of plugins' and kubelets' logs, by resource, with the post that they are about."""
    found: dict[str, list[tuple[Post, Evidence]]] = {}
    for post in scene.posts:
        logs = [(f"log {key}", log) for key, log in post.logs]
        evidence = scene.observed.evidence.get(post.node.name)
        if evidence is not None and evidence.kubelet_log is not None:
            logs.append((f"kubelet log of {post.node.name}", evidence.kubelet_log))
        for name in post.names:
            lines = [line for source, log in logs for line in _lines(source, log, name)]
            found.setdefault(name, []).extend((post, line) for line in lines[-1:])
    return {name: lines for name, lines in found.items() if lines}


def _lines(source: str, log: Log, resource: str) -> Iterable[Evidence]:
    kubelet = source.startswith("kubelet")
    for index, line in enumerate(log.lines):
        if _LINE.search(line) and (not kubelet or resource in line):
            yield Evidence(f"{source}:{log.number_of(index)}", line)


RULE = DiagnosisRule(
    name="message-too-large",
    severity=Severity.ERROR,
    level=4,
    cases=("ADMIT-4",),
    references=("Project-HAMi/volcano-vgpu-device-plugin#152",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.LOGS, Need.NODE_EVIDENCE, Need.DAEMON_SETS}),
    supersedes=frozenset({"stream-ended"}),
    check=_check,
)
