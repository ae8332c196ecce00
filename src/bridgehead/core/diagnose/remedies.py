"""What to do, as complete commands, each with its rung of the recovery ladder."""

import json
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Risk
from bridgehead.core.model.component import Component
from bridgehead.core.model.json_patch import without_name
from bridgehead.core.model.pod import Pod


def wait(node: str, resource: str, why: str) -> Action:
    """R0: look again before anything is done."""
    field = f".status.allocatable.{_escaped(resource)}"
    return Action(
        text=f"Wait and look again: {why}.",
        command=f"kubectl get node {node} -o jsonpath='{{{field}}}'",
        rung="R0",
    )


def restart_plugin(pod: Pod | None, node: str, condition: str = "") -> Action:
    """R1: a new process of the plugin on one node; running workloads keep their devices."""
    where = f"the plugin's pod on {node}"
    return Action(
        text=f"Restart {where}{f', {condition}' if condition else ''}; its devices must be back "
        "within 2 minutes, else stop and look again.",
        command=f"kubectl delete pod -n {pod.namespace} {pod.name}" if pod else "",
        risk=Risk.RESTART,
        rung="R1",
    )


def restart_plugins(pods: Iterable[tuple[Pod | None, str]], condition: str = "") -> list[Action]:
    """R1 for several nodes: the first one, and the others once it has helped."""
    listed = list(pods)
    if not listed:
        return []
    first = restart_plugin(*listed[0], condition)
    others = ", ".join(node for _, node in listed[1:4])
    if not others:
        return [first]
    more = f" and {len(listed) - 4} more" if len(listed) > 4 else ""
    then = Action(
        text=f"If that helped, do the same on {others}{more}, one node after the other.",
        risk=Risk.RESTART,
        rung="R1",
    )
    return [first, then]


def roll_back(component: Component) -> Action:
    """R2: the former version. The controller replaces every pod that differs, or under OnDelete
    none (seen with Kubernetes 1.37.2).
    """
    by_hand = component.strategy_type == "OnDelete"
    then = " Its strategy is OnDelete: each pod of this version stays until it is deleted, one node"
    return Action(
        text=f"Go back to the former version of {component.ref}."
        + (f"{then} after the other." if by_hand else ""),
        command=f"kubectl rollout undo daemonset/{component.name} -n {component.namespace}",
        risk=Risk.NONE if by_hand else Risk.ROLLOUT,
        rung="R2",
    )


def compare_former(component: Component) -> Action:
    """Where nothing tells whether the former version would fail as well; a person's to try."""
    name = f"daemonset/{component.name} -n {component.namespace}"
    return Action(
        text=f"Compare this version of {component.ref} with the former one, which is not known to "
        f"fail here. To go back to it is worth a try (kubectl rollout undo {name}).",
        command=f"kubectl rollout history {name}",
    )


def prune_refused(node: str, namespace: str) -> Action:
    """R3: pods that a kubelet has refused for good; their controllers make new ones."""
    return Action(
        text=f"Remove pods in {namespace} that were refused on {node}, those of controllers only; "
        "keep the newest of each as evidence.",
        command=f"kubectl get pods -n {namespace} "
        f"--field-selector=status.phase=Failed,spec.nodeName={node}",
        rung="R3",
    )


def cordon(nodes: Iterable[str], why: str) -> Action:
    """R4: no new pods; what runs there stays."""
    names = " ".join(nodes)
    return Action(
        text=f"Keep new pods away from {names.replace(' ', ', ')}: {why}.",
        command=f"kubectl cordon {names}",
        risk=Risk.NODE,
        rung="R4",
    )


def remove_name(node: str, resource: str) -> Action:
    """R5: a name out of a node's status that nobody serves any more."""
    patch = json.dumps(without_name(resource), separators=(",", ":"))
    return Action(
        text=f"Take {resource} out of the status of {node}, if no pod asks for it any more; "
        "the command does nothing unless it is still at 0/0.",
        command=f"kubectl patch node {node} --subresource=status --type=json -p '{patch}'",
        rung="R5",
    )


def restart_kubelet(node: str) -> Action:
    """A runbook: it may cost running pods with devices their place on the node."""
    return Action(
        text=f"Drain {node} and restart its kubelet: pods with devices can be refused after it.",
        command=f"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data "
        f"&& ssh {node} sudo systemctl restart kubelet",
        risk=Risk.WORKLOADS,
        rung="runbook",
    )


def reboot(node: str, why: str) -> Action:
    """A runbook: everything on the node ends."""
    return Action(
        text=f"Drain and reboot {node}: {why}.",
        command=f"kubectl drain {node} --ignore-daemonsets --delete-emptydir-data "
        f"&& ssh {node} sudo systemctl reboot",
        risk=Risk.NODE,
        rung="runbook",
    )


def show_log(pod: Pod) -> Action:
    """The log in full, where a line of it is not enough."""
    return Action(
        text="Read the plugin's whole log.",
        command=f"kubectl logs -n {pod.namespace} {pod.name} --all-containers --timestamps",
    )


def describe(pod: Pod, text: str) -> Action:
    """Status and events of a pod."""
    return Action(text=text, command=f"kubectl describe pod -n {pod.namespace} {pod.name}")


def edit(component: Component, text: str) -> Action:
    """A change of the manifest, where it is kept."""
    return Action(
        text=text, command=f"kubectl edit daemonset/{component.name} -n {component.namespace}"
    )


def _escaped(resource: str) -> str:
    return resource.replace(".", "\\.")
