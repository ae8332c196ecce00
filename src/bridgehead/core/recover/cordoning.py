"""R4: keep new pods off a node that cannot serve them, while enough others can."""

from bridgehead.core.findings.standing import few
from bridgehead.core.model.node import Node
from bridgehead.core.recover.assessment import Assessment, diagnosed, nobody_elses
from bridgehead.core.recover.limits import floor_of, most_cordoned
from bridgehead.core.recover.precondition import Precondition, judged
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation


def cordoning(situation: Situation) -> Assessment:
    """R4 in this situation."""
    name = situation.node.name
    return Assessment(
        rung=Rung.CORDON,
        preconditions=(
            diagnosed(situation, Rung.CORDON),
            nobody_elses(situation),
            judged(
                "the node takes pods now",
                not situation.node.unschedulable,
                f"spec.unschedulable of node {name}: {situation.node.unschedulable}",
            ),
            _floor(situation),
            _most(situation),
        ),
        would=(
            f"set spec.unschedulable of node {name}, with the mark that it is ours",
            "keep it so until a person gives it back: bridgehead release",
        ),
        would_not=(
            "end pods that run there, the plugin's included: daemon pods tolerate a cordon",
            "take the cordon away by itself, whatever the node shows later",
        ),
    )


def _floor(situation: Situation) -> Precondition:
    nodes = situation.device_nodes
    least = floor_of(len(nodes))
    healthy = [
        node.name for node in nodes if node.name != situation.node.name and _serves(situation, node)
    ]
    return judged(
        f"at least {least} of {len(nodes)} device nodes stay healthy and open for pods",
        len(healthy) >= least,
        f"{len(healthy)} others are: {few(sorted(healthy)) or 'none'}",
    )


def _serves(situation: Situation, node: Node) -> bool:
    """Whether pods that ask for the devices can be sent there."""
    if node.ready is not True or node.unschedulable:
        return False
    if _refuses(situation, node):
        return False
    for name in situation.resources:
        offer = node.offer(name)
        expected = situation.scene.expected(node.name, name)
        if offer is not None and offer.allocatable >= (expected.count if expected else 1):
            return True
    return False


def _refuses(situation: Situation, node: Node) -> bool:
    """Whether the newest pod that asked for the devices there was refused, whatever it offers."""
    names = set(situation.resources)
    asked = [pod for pod in situation.scene.pods_on(node.name) if names & pod.requests.keys()]
    newest = max(asked, key=lambda pod: (pod.created, pod.refused, pod.ref), default=None)
    return newest is not None and newest.refused


def _most(situation: Situation) -> Precondition:
    nodes = situation.device_nodes
    most = most_cordoned(len(nodes))
    ours = sorted(
        node.name for node in nodes if situation.holder and node.held_by == situation.holder
    )
    return judged(
        f"recovery keeps at most {most} of {len(nodes)} device nodes out of scheduling at a time",
        len(ours) < most,
        f"it keeps {', '.join(ours) or 'none'} now",
    )
