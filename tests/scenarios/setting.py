"""Sets a stage: nodes, images, permissions, plugin and workloads; and removes what it left."""

from functools import partial

import yaml

from testbed.api import Object
from tests.scenarios import objects
from tests.scenarios.access import grant, grant_everything, revoke
from tests.scenarios.disturbing import HEALED
from tests.scenarios.scenario import WorkloadGiven
from tests.scenarios.stage import ACCOUNT, HOLD, Stage, UnfitStageError
from tests.scenarios.view import container, offers, state, until

FILES = "/var/lib/scenario"
"""Folder of a node that the plugin's pods see."""


def prepare(stage: Stage) -> None:
    """Make everything that the scenario gives, and wait until it is there."""
    for number, given in enumerate(stage.scenario.given.nodes):
        labels = {"nvidia.com/gpu.product": given.device, **given.labels}
        if given.member:
            labels |= stage.label
        spec = {"taints": given.taints or None, "unschedulable": given.cordoned or None}
        _patch_node(stage, number, {"metadata": {"labels": labels}, "spec": spec})
    _put_images(stage)
    _permit(stage)
    for item in stage.scenario.given.objects:
        create(stage, item)
    if stage.scenario.given.plugin is not None:
        stage.cluster.api.create(stage.path("daemonsets"), objects.plugin(stage))
    if stage.scenario.manifest is not None:
        body = objects.plugin(stage, stage.scenario.manifest)
        (stage.folder / "plugin.yaml").write_text(yaml.safe_dump(body))
    until(lambda: all(map(partial(offers, stage), stage.members)), "the nodes offer the devices")
    pods = [create_workload(stage, item) for item in stage.scenario.given.workloads]
    try:
        until(lambda: all(map(partial(container, stage), pods)), "the workloads run")
    except UnfitStageError as error:
        raise UnfitStageError(f"{error}: {[state(stage, pod) for pod in pods]}") from None


def clean(stage: Stage) -> None:
    """Remove what does not go with the namespace and the nodes' leases."""
    stage.cluster.stop_healing(stage.folder / HEALED, name=stage.namespace)
    for node in stage.nodes:
        node.repair()  # else its pods cannot go
    for user in (stage.user, stage.colleague, stage.account):
        revoke(stage.cluster.api, user)
    stage.cluster.api.delete(f"/api/v1/namespaces/{stage.state_namespace}")
    for item in stage.cluster.api.get(stage.path("configmaps"))["items"]:
        if item["metadata"].get("finalizers"):
            path = stage.path("configmaps", item["metadata"]["name"])
            stage.cluster.api.patch(path, {"metadata": {"finalizers": None}})
    for node in stage.nodes:
        node.remove_files(FILES)


def create(stage: Stage, item: Object) -> None:
    """Create an object; in the scenario's namespace where it names none."""
    filled = stage.fill(item)
    kind = filled["kind"].lower() + "s"
    namespace = filled["metadata"].get("namespace", stage.namespace)
    version = filled["apiVersion"]
    prefix = "api" if "/" not in version else "apis"
    stage.cluster.api.create(f"/{prefix}/{version}/namespaces/{namespace}/{kind}", filled)


def create_workload(stage: Stage, workload: WorkloadGiven) -> str:
    """Create a pod that asks for devices of a node; its name."""
    body = objects.workload(stage, workload)
    if not workload.controller:
        return str(stage.cluster.api.create(stage.path("pods"), body)["metadata"]["name"])
    controller = objects.replica_set(body)
    made = stage.cluster.api.create(stage.path("replicasets"), controller)["metadata"]["name"]
    found: list[str] = []

    def its_pod() -> bool:
        pods = stage.cluster.api.get(stage.path("pods"))["items"]
        found[:] = [pod["metadata"]["name"] for pod in pods if made in pod["metadata"]["name"]]
        return bool(found)

    until(its_pod, f"{made} has made its pod")
    return found[0]


def _permit(stage: Stage) -> None:
    api, component, state = stage.cluster.api, stage.component_ref, stage.state_namespace
    evicts = stage.scenario.spec.get("workloads") == "evict"
    if stage.administrator:
        grant_everything(api, stage.user)
    else:
        grant(api, stage.user, component, state, evicts=evicts)
    if stage.scenario.token:
        grant(api, stage.account, component, state, evicts=evicts)
        _write_token(stage)


def _write_token(stage: Stage) -> None:
    """An account in the state namespace, and a kubeconfig with a token of it."""
    accounts = f"/api/v1/namespaces/{stage.state_namespace}/serviceaccounts"
    stage.cluster.api.create(accounts, {"metadata": {"name": ACCOUNT}})
    request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    token = stage.cluster.api.create(f"{accounts}/{ACCOUNT}/token", request)["status"]["token"]
    config = yaml.safe_load(stage.cluster.kubeconfig.read_text())
    config["users"][0]["user"] = {"token": token}
    stage.kubeconfig.touch(mode=0o600)
    stage.kubeconfig.write_text(yaml.safe_dump(config))


def _patch_node(stage: Stage, number: int, patch: Object) -> None:
    stage.cluster.api.patch(f"/api/v1/nodes/{stage.nodes[number].name}", patch)


def join(stage: Stage, number: int) -> None:
    """Give a node the label that the plugin's nodeSelector asks for."""
    _patch_node(stage, number, {"metadata": {"labels": stage.label}})


def cordon(stage: Stage, number: int) -> None:
    """Cordon a node, as a person does."""
    _patch_node(stage, number, {"spec": {"unschedulable": True}})


def create_file(stage: Stage, number: int, name: str) -> None:
    """Create an empty file in FILES of a node."""
    stage.nodes[number].create_file(f"{FILES}/{name}")


def remove_file(stage: Stage, number: int, name: str) -> None:
    """Take a file of FILES away from a node."""
    stage.nodes[number].remove_file(f"{FILES}/{name}")


def _put_images(stage: Stage) -> None:
    versions = {
        stage.image(name): stage.fill(knobs) for name, knobs in stage.scenario.images.items()
    }
    nodes = [node.name for node in stage.nodes]
    stage.cluster.put_images(versions, stage.image(HOLD), stage.namespace, nodes)
