"""The plugin's image cannot be pulled.

Finds: a plugin's container that waits for its image: the tag does not exist, the registry refuses
the node, or does not answer.

Why: in an update the former pod is gone by then. The node offers N/0 at once and 0/0 after five
minutes, for as long as the image is missing.

Sure: the waiting reason is ErrImagePull or ImagePullBackOff; the class of the message tells not
found, refused and unreachable apart. kubectl describe pod shows it.

Do: use a digest that exists, give the pull secret to every ServiceAccount of the plugin, or repair
the way to the registry; else go back.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, by_component
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.next_pull import got_meanwhile
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.pull_message import OF_ARCHITECTURE, PullFailure, pull_failure
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.image_index import ABSENT, FOUND, ImageIndex, index_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence


def _check(scene: Scene) -> Iterable[Cause]:
    waiting = [
        item
        for item in ailing(scene, Trouble.PULL)
        if not any(re.search(OF_ARCHITECTURE, said.text, re.I) for said in item.said)
    ]
    for items in by_component(waiting):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[Ailing]) -> Cause:
    first = items[0]
    image = first.container.image
    index = index_of(scene.observed, image)
    failure, proof = pull_failure(first.said)
    if failure is PullFailure.UNKNOWN and index is not None and index.word == ABSENT:
        failure = PullFailure.NOT_FOUND
    posts = [item.post for item in items]
    component = first.post.plugin.component
    verdict = version_or_node(scene, posts, Blame.VERSION)
    meanwhile = got_meanwhile(scene, items) if verdict.blame is Blame.DRIFT else ()
    if meanwhile:
        return _not_asked_again(scene, items, proof, meanwhile)
    elsewhere = verdict.blame is Blame.DRIFT
    of_node = elsewhere or failure in (PullFailure.UNREACHABLE, PullFailure.NO_ROOM)
    helps = RollbackHelps.UNKNOWN if of_node else verdict.rollback
    back = (remedies.roll_back(component),) if helps is RollbackHelps.YES else ()
    there = index if index is not None and index.word == FOUND else None
    late = there is not None and failure is PullFailure.NOT_FOUND
    wait = (_ask_again(component, image),) if late else ()
    return plugin_cause(
        scene,
        posts,
        message=f"image {image} cannot be pulled: {failure.value}"
        + (", but has it now" if late else ""),
        blame=Blame.DRIFT
        if elsewhere
        else Blame.BELOW
        if of_node
        else Blame.CONFIGURATION
        if failure is PullFailure.REFUSED and helps is not RollbackHelps.YES
        else Blame.VERSION,
        evidence=(proof, *([index.evidence] if index is not None else [])),
        refuted_by=f"a node of the same kind that has just pulled {image}",
        rollback=RollbackHelps.NO if elsewhere else helps,
        actions=(*wait, *back, _action(failure, first, image)),
        ruled_out=(
            *verdict.ruled_out,
            *([_there(there)] if there is not None else []),
            RuledOut("a crash of the plugin", "its container was never started"),
        ),
        confidence=Confidence.MEDIUM if failure is PullFailure.UNKNOWN else None,
    )


def _not_asked_again(
    scene: Scene, items: Sequence[Ailing], proof: Evidence, meanwhile: Sequence[str]
) -> Cause:
    """Other nodes got it after the last try here: the next one decides."""
    first = items[0]
    image, has = first.container.image, f"{listed(meanwhile)} got this version since"
    return plugin_cause(
        scene,
        [item.post for item in items],
        message=f"image {image} could not be pulled at the last try, and {has}",
        blame=Blame.UNKNOWN,
        evidence=(proof,),
        refuted_by=f"a pull of {image} that fails there once more",
        actions=(_ask_again(first.post.plugin.component, image),),
        ruled_out=(
            RuledOut("a bad version", has),
            RuledOut("a drifted node", f"it has not asked again since {listed(meanwhile)} got it"),
        ),
        confidence=Confidence.MEDIUM,
    )


def _there(index: ImageIndex) -> RuledOut:
    where = index.registry or "its registry"
    return RuledOut("a name without an image", f"{where}, asked from here, has it {index.digest}")


def _ask_again(component: Component, image: str) -> Action:
    return Action(
        text=f"Wait: kubelets ask for {image} again at least every five minutes. If they are still "
        "told that there is none, a mirror or a proxy of the nodes says so.",
        command=f"kubectl get pods -n {component.namespace} -w",
    )


def _action(failure: PullFailure, item: Ailing, image: str) -> Action:
    component = item.post.plugin.component
    match failure:
        case PullFailure.REFUSED:
            return Action(
                text="Give the registry's pull secret to the ServiceAccount of these pods.",
                command=f"kubectl get serviceaccounts -n {component.namespace} "
                "-o custom-columns=NAME:.metadata.name,SECRETS:.imagePullSecrets[*].name",
            )
        case PullFailure.UNREACHABLE:
            return Action(
                text=f"Look at the way from {item.post.node.name} to the registry: name service, "
                "proxy, certificates.",
                command=f"kubectl describe pod -n {component.namespace} "
                f"{item.post.pod.name if item.post.pod else ''}",
            )
        case PullFailure.NO_ROOM:
            return Action(
                text=f"Make room for images on {item.post.node.name}.",
                command=f"kubectl describe node {item.post.node.name}",
            )
        case _:
            return remedies.edit(component, f"Name an image that exists instead of {image}.")


RULE = DiagnosisRule(
    name="image-not-pulled",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-1",),
    references=("NVIDIA#216", "NVIDIA#230", "intel#1981"),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS, Need.REVISIONS, Need.HISTORY, Need.REGISTRY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
