"""A change is put on top of a revision that does not work.

Finds: a device plugin whose standing revision has pods that crash, cannot pull or have not become
Ready within five minutes on Ready nodes, and a manifest that changes the template once more.

Why: the controller does not hold old pods that are not ready against maxUnavailable as people
expect. After two or three bad updates in a row the plugin is unready on every node, although
maxUnavailable is 1.

Sure: kubectl get pods -l controller-revision-hash=HASH for the newest hash in
kubectl get controllerrevisions.

Do: go back to the last revision that was healthy, then forward from there.
"""

from collections.abc import Iterable

from bridgehead.core.components.resources import pods_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing, template_changes
from bridgehead.core.inventory.plugins import standing_revision
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.pod import Pod

_PATIENCE = 300.0
_BAD = frozenset(
    {
        "CrashLoopBackOff",
        "ErrImagePull",
        "ImagePullBackOff",
        "InvalidImageName",
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
    }
)


def _check(linted: Linted) -> Iterable[Violation]:
    assert linted.cluster is not None
    for plugin in linted.plugins:
        live = standing(linted, plugin)
        if live is None or not template_changes(plugin, live.template):
            continue
        bad = _bad(linted.cluster, live)
        if bad:
            yield Violation(
                manifest=plugin,
                path=("spec", "template"),
                message=f"the revision that stands now is not healthy on {few(_nodes(bad))},"
                " and this changes the template once more",
                evidence=tuple(Evidence(f"pod {pod.ref}", _state(pod)) for pod in bad[:3]),
            )


def _bad(cluster: Observed, live: Component) -> list[Pod]:
    """Pods of the standing revision that do not work, though their node does."""
    snapshot = cluster.snapshot
    revision = standing_revision(live, snapshot.revisions_of(live))
    if revision is None:
        return []
    ready = {node.name for node in snapshot.nodes if node.ready}
    return [
        pod
        for pod in pods_of(live, snapshot.pods)
        if pod.revision == revision.hash
        and pod.node in ready
        and not (pod.ready or pod.deleting or pod.terminal)
        and (_reason(pod) or cluster.now - pod.created > _PATIENCE)
    ]


def _reason(pod: Pod) -> str:
    every = (*pod.init_containers, *pod.containers)
    return next((item.reason for item in every if item.reason in _BAD), "")


def _state(pod: Pod) -> str:
    return _reason(pod) or f"{pod.phase}, not Ready, {pod.restarts} restarts"


def _nodes(pods: Iterable[Pod]) -> list[str]:
    return sorted({pod.node for pod in pods})


RULE = LintRule(
    name="previous-revision-unhealthy",
    severity=Severity.ERROR,
    references=("kubernetes#123232",),
    needs=frozenset({Need.DAEMON_SETS, Need.REVISIONS, Need.PODS, Need.NODES}),
    check=_check,
)
