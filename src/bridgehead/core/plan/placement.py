"""When the plan says no to a change of placement, and to what a manifest changes beside it.

Placement is judged when the template is written, for all nodes at once: no node can be the first.
So it is a revision of its own, needs consent by name, and takes nothing from a running pod.
"""

from collections.abc import Iterator

from bridgehead.core.findings.standing import few
from bridgehead.core.inventory.placement import placing, without_placing
from bridgehead.core.model.json import JsonValue, child, differing
from bridgehead.core.model.node import Node
from bridgehead.core.plan.foreign_holds import foreign_hold
from bridgehead.core.plan.holders import holders
from bridgehead.core.plan.plan import Refusal
from bridgehead.core.plan.settings import Consent, ImagesChange, ManifestChange
from bridgehead.core.plan.subject import Subject

SHOWN = 5
_NOT_COMPARED = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "deprecated.daemonset.template.generation",
    }
)
"""Annotations that kubectl and the API server keep for themselves."""


def placement_refusals(subject: Subject) -> Iterator[Refusal]:
    """Every reason against moving the component as the target template would."""
    if not subject.moves:
        return
    if isinstance(subject.spec.change, ImagesChange):
        yield from _by_admission(subject)
        return
    yield from _beside_others(subject)
    yield from _without_consent(subject)
    yield from _unwatched(subject)
    yield from _holders(subject)
    yield from _held_by_others(subject)
    if not subject.nodes:
        yield subject.refusal(
            "placement-keeps-no-node",
            f"{subject.component.ref} would stay on none of the nodes that the spec selects",
            "keep a node that it runs on, so that the change can be seen to be good there",
        )


def selector_refusals(subject: Subject) -> Iterator[Refusal]:
    """A DaemonSet's selector cannot change (apps/v1); the server would refuse the manifest."""
    change = subject.spec.change
    if isinstance(change, ManifestChange) and change.selector != subject.component.selector:
        yield subject.refusal(
            "selector-changes",
            f"{change.path} has another selector than {subject.component.ref}, and a selector "
            "cannot change",
            "write the selector that stands: kubectl get ds/"
            f"{subject.component.name} -n {subject.component.namespace} -o yaml",
        )


def unchanged_fields(subject: Subject) -> list[str]:
    """What the manifest has otherwise outside its template: not written, so it is said."""
    change, component = subject.spec.change, subject.component
    if not isinstance(change, ManifestChange):
        return []
    strategy = child(change.rest, "updateStrategy")
    rest = {key: value for key, value in change.rest.items() if key != "updateStrategy"}
    annotations = {k: v for k, v in change.annotations.items() if k not in _NOT_COMPARED}
    found = [
        *_unmet(change.labels, component.labels, "metadata.labels"),
        *_unmet(annotations, component.annotations, "metadata.annotations"),
        *_unmet(strategy, component.strategy, "spec.updateStrategy"),
        *_unmet(rest, component.rest, "spec"),
    ]
    return [
        f"{change.path} has another {field} than the cluster: not changed by this version, which "
        "rolls out spec.template alone"
        for field in found
    ]


def _unmet(wanted: JsonValue, standing: JsonValue, path: str) -> Iterator[str]:
    """Fields that the manifest writes and the object lacks; what it leaves out is the server's."""
    if isinstance(wanted, dict):
        for key, value in wanted.items():
            yield from _unmet(value, child(standing, key), f"{path}.{key}")
    elif wanted != standing and (wanted or standing is not None):
        yield path


def _by_admission(subject: Subject) -> Iterator[Refusal]:
    """A change of images cannot move pods; anything else that differs was written by admission."""
    before, after = placing(subject.component.template), placing(subject.target)
    fields = ", ".join(f"spec.template.spec.{path}" for path in differing(before, after))
    yield subject.refusal(
        "placement-changes",
        f"the API server would also change {fields}",
        "find the admission webhook that does so",
    )


def _beside_others(subject: Subject) -> Iterator[Refusal]:
    before, after = without_placing(subject.component.template), without_placing(subject.target)
    others = tuple(differing(before, after))
    if others:
        fields = few(others, SHOWN)
        yield subject.refusal(
            "placement-with-other-change",
            f"the manifest changes where {subject.component.ref} runs and also {fields}: a failure "
            "could not be told from the move, nor taken back alone",
            "two runs: first the one, then the other, each with a manifest of its own",
        )


def _without_consent(subject: Subject) -> Iterator[Refusal]:
    consent = subject.spec.placement
    asked = {
        "gain": (subject.gains, consent.gain),
        "lose": (subject.loses, consent.lose),
    }
    needed = [key for key, (nodes, given) in asked.items() if nodes and given is Consent.REFUSE]
    if needed:
        told = [
            *([f"gain {_names(subject.gains)}"] if subject.gains else []),
            *([f"lose {_names(subject.loses)}"] if subject.loses else []),
        ]
        keys = ", ".join(f"{key}: allow" for key in needed)
        yield subject.refusal(
            "placement-without-consent",
            f"{subject.component.ref} would {' and '.join(told)}, all at once when the template is "
            "written",
            f"if that is meant: placement: {{{keys}}} in the spec",
        )


def _unwatched(subject: Subject) -> Iterator[Refusal]:
    """A gained node that the spec leaves out would get the component with nobody looking."""
    out = tuple(node for node in subject.gains if not subject.spec.nodes.selects(node.labels))
    if out:
        yield subject.refusal(
            "gains-left-out",
            f"{_names(out)} would be gained, and nodes: in the spec leaves them out",
            "select them, so that they are verified, or keep the component off them",
        )


def _holders(subject: Subject) -> Iterator[Refusal]:
    losing = {node.name for node in subject.loses}
    pods = (pod for pod in subject.snapshot.pods if pod.node in losing)
    found = holders(pods, subject.resources, subject.component.uid)
    if found:
        shown = ", ".join(f"{pod.ref} on {pod.node}" for pod in found[:SHOWN])
        more = f" and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
        yield subject.refusal(
            "losers-hold-devices",
            f"pods hold devices of nodes that {subject.component.ref} would lose: {shown}{more}",
            "move them first: kubectl drain, or wait until they have ended",
        )


def _held_by_others(subject: Subject) -> Iterator[Refusal]:
    """A node that another tool works on cannot be kept clear of pods while it loses its devices."""
    held = [f"{node.name} ({why})" for node in subject.loses if (why := foreign_hold(node))]
    if held:
        yield subject.refusal(
            "losers-held-by-others",
            f"others hold nodes that {subject.component.ref} would lose: {few(held, SHOWN)}",
            "wait until they are done",
        )


def _names(nodes: tuple[Node, ...]) -> str:
    shown = ", ".join(node.name for node in nodes[: 2 * SHOWN])
    more = len(nodes) - 2 * SHOWN
    return f"{shown} and {more} more" if more > 0 else shown
