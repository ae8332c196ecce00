"""A device plugin answers Allocate or PreStartContainer with an error.

Finds: pods that failed with UnexpectedAdmissionError because the plugin's answer to Allocate was an
error, whose words no other rule knows; and pods whose containers wait because its answer to
PreStartContainer was one.

Why: the device was free and the plugin did not hand it out, or did not prepare it. A refusal is
final for its pod, and a controller makes others that fail the same way, by the thousand.

Sure: the pod's message carries the code and the words of the plugin. Unavailable or EOF means that
its process ended in the call: its previous log has the reason.

Do: go back where the former version handed out on the same nodes. Else act on the plugin's words;
if its process ended, read its previous log, and compare with nodes on which another revision runs.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.admission_message import Refusal
from bridgehead.core.diagnose.allocation_errors import Known, known
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import drift_refuted
from bridgehead.core.diagnose.refusal_cause import refusal_cause
from bridgehead.core.diagnose.refusals import (
    Refused,
    by_resource,
    clearing,
    counted,
    nodes_of,
    post_of,
    refused_pods,
)
from bridgehead.core.diagnose.remedies import roll_back
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key
from bridgehead.core.diagnose.users import User, users
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence

_PREPARING = re.compile(
    r"device plugin PreStartContainer rpc failed with err: (rpc error: code = \w+ desc = )?"
    r"(?P<said>.*)",
    re.DOTALL,
)
_FORMER = "under the former version pods were handed devices on these nodes"
_ENDED = ("Unavailable", "Canceled")


def _check(scene: Scene) -> Iterable[Cause]:
    for resource, found in by_resource(refused_pods(scene, Refusal.ALLOCATE)).items():
        plain = tuple(item for item in found if known(item.said) is Known.NOTHING)
        if plain:
            yield _cause(scene, resource, plain)
    for resource, waiting in _unprepared(scene).items():
        yield _of_waiting(scene, resource, waiting)


def _unprepared(scene: Scene) -> dict[str, list[tuple[User, Evidence]]]:
    """Pods whose device the plugin fails to prepare, by the first resource that they ask for."""
    found: dict[str, list[tuple[User, Evidence]]] = defaultdict(list)
    for user in users(scene):
        for item in (*user.pod.init_containers, *user.pod.containers):
            if item.state == "waiting" and _PREPARING.search(item.message):
                source = f"status of container {item.name} of pod {user.pod.ref}"
                quote = Evidence(source, f"{item.reason}: {item.message}")
                found[user.resources[0]].append((user, quote))
                break
    return dict(sorted(found.items()))


def _of_waiting(scene: Scene, resource: str, found: list[tuple[User, Evidence]]) -> Cause:
    pods = [user.pod for user, _ in found]
    first = pods[0]
    said = _PREPARING.search(found[0][1].text)
    who = f"pod {first.ref} waits" if len(pods) == 1 else f"{len(pods)} pods wait"
    nodes = tuple(sorted({pod.node for pod in pods}))
    return Cause(
        message=f"the plugin of {resource} on {', '.join(nodes)} fails to prepare devices before "
        f"containers start: {said['said'] if said else ''}; {who}",
        blame=Blame.VERSION,
        object=ObjectRef("v1", "Pod", first.namespace, first.name),
        nodes=nodes,
        explains=tuple(pod_key(pod) for pod in pods),
        evidence=tuple(quote for _, quote in found[:3]),
        refuted_by="the container starts at its next attempt",
        ruled_out=(RuledOut("missing devices", "the devices were allocated"),),
        actions=(
            Action(
                text="Read what the plugin wrote at that time",
                command=_log(scene, first.node, resource),
            ),
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
    )


def _cause(scene: Scene, resource: str, found: tuple[Refused, ...]) -> Cause:
    nodes, first = nodes_of(found), found[0]
    ended = first.said.code in _ENDED or "EOF" in first.said.said
    posts = [post for node in nodes if (post := post_of(scene, node, resource)) is not None]
    plugin = " and ".join(sorted({post.plugin.component.ref for post in posts})) or "the plugin"
    before = _handed_out_before(scene, posts, resource) if len(posts) == len(nodes) else ()
    tried = drift_refuted(scene, posts[0].plugin.component.ref, nodes) if posts else None
    rival = RuledOut("a drifted node", _FORMER) if before else tried
    back = [roll_back(posts[0].plugin.component)] if rival is not None else []
    what = "ended in the call" if ended else f"answered {first.said.code}: {first.said.said}"
    return refusal_cause(
        found,
        message=f"{plugin} did not hand out {resource} on {', '.join(nodes)}: it {what}; "
        f"{counted(found)} failed",
        blame=Blame.VERSION,
        evidence=(*_last_words(scene, first, resource), *before),
        refuted_by="the same pod is handed a device by the same process of the plugin",
        ruled_out=(
            RuledOut("missing devices", "the kubelet had chosen devices when it called"),
            RuledOut("the scheduler", "the pods were bound"),
            *([rival] if rival is not None else []),
        ),
        actions=(
            *back,
            Action(
                text="Read what the plugin wrote at that time",
                command=_log(scene, first.pod.node, resource),
            ),
            *clearing(found),
        ),
        rollback=RollbackHelps.YES if rival is not None else RollbackHelps.UNKNOWN,
    )


def _handed_out_before(scene: Scene, posts: Sequence[Post], resource: str) -> tuple[Evidence, ...]:
    """Pods that were handed devices on these nodes under the former revision.

    None where the plugin is not one, has no former revision, or this one has handed out as well.
    """
    if len({post.plugin.component.ref for post in posts}) != 1:
        return ()
    standing, former = former_of(templates_of(scene, posts[0].plugin.component))
    if standing is None or former is None:
        return ()
    found = []
    for post in posts:
        if post.pod is None or post.pod.revision != standing.hash:
            return ()
        served = [
            pod
            for pod in scene.pods_on(post.node.name)
            if pod.requests.get(resource) and pod.phase in ("Running", "Succeeded")
        ]
        since = max(post.pod.created, standing.at or 0.0)
        if any(pod.created >= since for pod in served):
            return ()
        found += [pod for pod in served if pod.created < (standing.at or 0.0)][:1]
    return tuple(
        Evidence(f"status of pod {pod.ref}", f"{pod.phase} on {pod.node} since before this version")
        for pod in found[:3]
    )


def _last_words(scene: Scene, refused: Refused, resource: str) -> tuple[Evidence, ...]:
    """The line with which the plugin's former process ended, if it was read."""
    post = post_of(scene, refused.pod.node, resource)
    logs = post.logs if post is not None else ()
    for key, log in logs:
        if key.previous and log.lines:
            panics = [n for n, line in enumerate(log.lines) if line.startswith("panic:")]
            index = panics[-1] if panics else len(log.lines) - 1
            return (Evidence(f"log {key}:{log.number_of(index)}", log.lines[index]),)
    return ()


def _log(scene: Scene, node: str, resource: str) -> str:
    post = post_of(scene, node, resource)
    if post is None or post.pod is None:
        return f"kubectl get pods -A --field-selector=spec.nodeName={node}"
    previous = " --previous" if post.pod.restarts else ""
    return f"kubectl logs -n {post.pod.namespace} {post.pod.name} --tail=100{previous}"


RULE = DiagnosisRule(
    name="allocate-fails",
    severity=Severity.ERROR,
    level=4,
    references=("Project-HAMi/HAMi#71", "volcano-sh/devices#58"),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.LOGS, Need.DAEMON_SETS, Need.REVISIONS}),
    check=_check,
)
