"""What somebody else does to a run: to its component, its nodes, its record, its credential."""

import time
from typing import Any

import yaml

from bridgehead.cluster.names import PART_LABEL
from bridgehead.cluster.record import RECORD, SEGMENT
from bridgehead.core.model.node import KEEP_CORDONED
from testbed.api import ApiError, Object
from testbed.cluster import Cluster
from tests.scenarios import objects
from tests.scenarios.scenario import (
    Action,
    EditGiven,
    HealingGiven,
    PluginAwaited,
    RecordGiven,
)
from tests.scenarios.stage import Stage
from tests.scenarios.view import component, image_of, node_object, offers, plugin_pods, until

HEALED = "healed"
"""Folder of a stage with the manifests that are put back."""


def disturb(stage: Stage, action: Action) -> None:
    """Do one thing, as the cluster's administrator. Raises TestbedError or UnfitStageError."""
    match action:
        case Action(edit=EditGiven() as edit):
            edit_component(stage, edit)
        case Action(delete_component=True):
            stage.cluster.api.delete(stage.path("daemonsets", "plugin"))
        case Action(replace_component=True):
            _replace_component(stage)
        case Action(heal=HealingGiven() as healing):
            _heal(stage, healing)
        case Action(edit_record=RecordGiven(patch=patch)):
            for path in _config_maps(stage, RECORD):
                stage.cluster.api.patch(path, patch)
        case Action(delete_record=True):
            _delete(stage, RECORD)
        case Action(delete_journal=True):
            _delete(stage, SEGMENT)
        case Action(revoke_token=True):
            _revoke_token(stage)
        case Action(api_server_away=int() as seconds):
            cluster = _real(stage)
            cluster.apiserver.stop(timeout=90)
            time.sleep(seconds)
            cluster.start_apiserver()
        case Action(restart_etcd=True):
            _real(stage).etcd.stop(kill=True)
            _real(stage).start_apiserver()
        case _:
            _disturb_node(stage, action)


def _disturb_node(stage: Stage, action: Action) -> None:
    match action:
        case Action(await_pod=PluginAwaited(node=number, image=str() as image)):
            wanted = stage.image(image)
            until(lambda: image_of(stage, number) == wanted, f"node {number} has {image}")
        case Action(await_devices=int() as number):
            until(lambda: offers(stage, number), f"node {number} offers its devices")
        case Action(await_no_plugin=int() as number):
            until(lambda: number not in plugin_pods(stage), f"node {number} has no plugin")
        case Action(keep_cordoned=int() as number):
            _patch_node(stage, number, {"metadata": {"annotations": {KEEP_CORDONED: "by hand"}}})
        case Action(uncordon=int() as number):
            _patch_node(stage, number, {"spec": {"unschedulable": None}})
        case Action(end_workloads=int() as number):
            _end_workloads(stage, number)
        case Action(stop_kubelet=int() as number):
            stage.nodes[number].stop_kubelet()
            until(lambda: not _ready(stage, number), f"node {number} is NotReady")
        case Action(start_kubelet=int() as number):
            stage.nodes[number].start_kubelet()
            until(lambda: _ready(stage, number), f"node {number} is Ready")
        case Action(restart_containerd=int() as number):
            stage.nodes[number].restart_containerd()


def _real(stage: Stage) -> Cluster:
    """The cluster, whose processes can be taken away."""
    assert isinstance(stage.cluster, Cluster)
    return stage.cluster


def edit_component(stage: Stage, edit: EditGiven) -> None:
    """Patch the plugin's DaemonSet under somebody's field manager."""
    path = f"{stage.path('daemonsets', 'plugin')}?fieldManager={edit.by}"
    kind = "application/strategic-merge-patch+json"
    stage.cluster.api.request("PATCH", path, stage.fill(edit.patch), kind)


def _heal(stage: Stage, given: HealingGiven) -> None:
    folder = stage.folder / HEALED
    folder.mkdir()
    manifest = _manifest(stage)
    manifest["spec"]["template"]["spec"]["containers"][0]["image"] = stage.image(given.image)
    manifest["spec"]["updateStrategy"] = {"type": given.strategy}
    (folder / "plugin.yaml").write_text(yaml.safe_dump(manifest))
    stage.cluster.start_healing(folder, manager=given.by, name=stage.namespace)


def _replace_component(stage: Stage) -> None:
    """As `kubectl replace --force` does: delete, wait until it is gone, create."""
    stage.cluster.api.delete(stage.path("daemonsets", "plugin"))
    until(lambda: component(stage) is None, "the component is gone")
    stage.cluster.api.create(stage.path("daemonsets"), _manifest(stage))


def _manifest(stage: Stage) -> Object:
    manifest = objects.plugin(stage)
    manifest["metadata"]["namespace"] = stage.namespace
    return manifest


def _patch_node(stage: Stage, number: int, patch: Object) -> None:
    stage.cluster.api.patch(f"/api/v1/nodes/{stage.nodes[number].name}", patch)


def _end_workloads(stage: Stage, number: int) -> None:
    """Delete the pods that hold devices of a node."""
    node = stage.nodes[number].name
    for pod in stage.cluster.api.get(f"{stage.path('pods')}?labelSelector=app%3Dholder")["items"]:
        if pod["spec"].get("nodeName") == node:
            stage.cluster.api.delete(stage.path("pods", pod["metadata"]["name"]))


def _ready(stage: Stage, number: int) -> bool:
    conditions = node_object(stage, number)["status"]["conditions"]
    return any((c["type"], c["status"]) == ("Ready", "True") for c in conditions)


def _config_maps(stage: Stage, part: str) -> list[str]:
    """Paths of the run's records or of its journal's segments."""
    path = f"/api/v1/namespaces/{stage.state_namespace}/configmaps"
    query = f"{path}?labelSelector={PART_LABEL.replace('/', '%2F')}%3D{part}"
    found: list[Any] = stage.cluster.api.get(query)["items"]
    return [f"{path}/{item['metadata']['name']}" for item in found]


def _delete(stage: Stage, part: str) -> None:
    for path in _config_maps(stage, part):
        stage.cluster.api.delete(path)


def _revoke_token(stage: Stage) -> None:
    """A deleted account's tokens are known for some seconds more: the server keeps answers."""
    account = stage.account.rpartition(":")[2]
    path = f"/api/v1/namespaces/{stage.state_namespace}/serviceaccounts/{account}"
    token = yaml.safe_load(stage.kubeconfig.read_text())["users"][0]["user"]["token"]
    stage.cluster.api.delete(path)
    review = {
        "apiVersion": "authentication.k8s.io/v1",
        "kind": "TokenReview",
        "spec": {"token": token},
    }

    def unknown() -> bool:
        try:
            answer = stage.cluster.api.request(
                "POST", "/apis/authentication.k8s.io/v1/tokenreviews", review
            )
        except ApiError:
            return False
        return not answer["status"].get("authenticated")

    until(unknown, "the token is known no more")
