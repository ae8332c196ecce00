"""Something is wrong with devices and no known fault explains it.

Finds: symptoms that are left when all other rules have been asked: nodes that offer fewer devices
than they should, pods that are not as they should be, DaemonSets that do not make their pods, names
that nobody offers.

Why: what is not explained is not harmless, and must not be passed over in silence.

Sure: the symptoms are what the cluster itself says; that nothing is known to explain them is all
that is concluded here.

Do: look at the places that the actions name, in their order; read what an ended process said last.
With a reader pod on the node, or with the logs that could not be read, the same command may say
more.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause
from bridgehead.core.diagnose.ranking import LAST_LEVEL
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import Symptom, pod_key
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.pod import Container, Pod

_NAMED = 3
_LONGEST = 140
_QUOTED = 12
_LINES = 3


def _check(scene: Scene) -> Iterable[Cause]:
    left = scene.symptoms
    if not left:
        return
    first = left[0]
    yield Cause(
        message=_message(left),
        blame=Blame.UNKNOWN,
        evidence=(
            *(proof for item in left[:_QUOTED] for proof in item.evidence[:1]),
            *_last_words(scene, left),
        ),
        refuted_by="another rule explains them once more of the cluster is read",
        object=first.object if len(left) == 1 else type(first.object)(),
        nodes=tuple(sorted({item.node for item in left if item.node in scene.nodes})),
        explains=tuple(item.key for item in left),
        actions=tuple(_actions(scene, left)),
        severity=Severity.INFO if all(item.guessed for item in left) else None,
    )


def _message(left: Sequence[Symptom]) -> str:
    named = "; ".join(_short(item.text) for item in left[:_NAMED])
    more = f"; and {len(left) - _NAMED} more" if len(left) > _NAMED else ""
    what = "one symptom is" if len(left) == 1 else f"{len(left)} symptoms are"
    return f"{what} explained by no known fault: {named}{more}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _actions(scene: Scene, left: Sequence[Symptom]) -> Iterable[Action]:
    """Where a person would look next, one place of each sort."""
    by_sort: dict[str, Symptom] = {}
    for item in left:
        by_sort.setdefault(item.key.split("/", 1)[0], item)
    if "daemonset" in by_sort:
        ref = by_sort["daemonset"].object
        yield Action(
            text="see what its controller says of the DaemonSet",
            command=f"kubectl -n {ref.namespace} describe daemonset {ref.name}",
        )
    if "pod" in by_sort:
        ref = by_sort["pod"].object
        yield Action(
            text="see the pod's events",
            command=f"kubectl -n {ref.namespace} describe pod {ref.name}",
        )
    for pod, ended in _ended(scene, left)[:1]:
        former = "" if ended.state == "terminated" else " --previous"
        yield Action(
            text="read what its process said before it ended",
            command=f"kubectl -n {pod.namespace} logs {pod.name} -c {ended.name}{former}",
        )
    if "devices" in by_sort:
        yield from _at_the_node(scene, by_sort["devices"])
    if "resource" in by_sort:
        yield Action(
            text="see which names the nodes do offer",
            command="kubectl get nodes "
            "-o custom-columns=NODE:.metadata.name,OFFERS:.status.allocatable",
        )


def _ended(scene: Scene, left: Sequence[Symptom]) -> list[tuple[Pod, Container]]:
    """Containers of the symptoms' pods whose process has ended in error, in their order."""
    pods = {pod_key(pod): pod for pod in scene.observed.snapshot.pods}
    mine = [pods[item.key] for item in left if item.key in pods]
    return [
        (pod, item)
        for pod in mine
        for item in (*pod.init_containers, *pod.containers)
        if item.last_exit_code or (item.state == "terminated" and item.exit_code)
    ]


def _last_words(scene: Scene, left: Sequence[Symptom]) -> Iterable[Evidence]:
    """The last lines of the first process that ended and whose log was read."""
    for pod, item in _ended(scene, left):
        logs = [pair for pair in scene.observed.logs_of(pod) if pair[0].container == item.name]
        for key, log in sorted(logs, key=lambda pair: not pair[0].previous):
            said = [(at, line) for at, line in enumerate(log.lines) if line.strip()]
            if said:
                for at, line in said[-_LINES:]:
                    yield Evidence(f"log {key}:{log.number_of(at)}", line)
                return


def _at_the_node(scene: Scene, symptom: Symptom) -> Iterable[Action]:
    for plugin in scene.plugins:
        pod = plugin.pod_on(symptom.node)
        if symptom.resource in plugin.resources and pod is not None:
            yield Action(
                text="read all that the plugin says there",
                command=f"kubectl -n {pod.namespace} logs {pod.name} --all-containers",
            )
    yield Action(
        text="see what the node itself says",
        command=f"kubectl describe node {symptom.node}",
    )


RULE = DiagnosisRule(
    name="unexplained",
    severity=Severity.ERROR,
    confidence=Confidence.LOW,
    level=LAST_LEVEL,
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS, Need.LOGS, Need.NODE_EVIDENCE}),
    check=_check,
)
