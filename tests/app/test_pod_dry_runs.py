"""Of which plugins among manifests lint tries a pod, and with what template."""

from typing import cast

import pytest

from bridgehead.app.observing import observed_from
from bridgehead.app.pod_dry_runs import with_trials_of_manifests
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.json import JsonObject
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import ApiError, BadRequest, Forbidden, Request
from bridgehead.rules.lint.security import namespace_refuses_pod
from bridgehead.sources.lintable import Unit
from bridgehead.sources.positions import manifests_in

PLUGIN = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: plugin, namespace: gpu}
spec:
  template:
    metadata: {labels: {app: plugin}}
    spec:
      serviceAccountName: own
      priorityClassName: mine
      runtimeClassName: nvidia
      containers:
        - name: p
          image: registry.example/plugin:1
          volumeMounts: [{name: d, mountPath: /var/lib/kubelet/device-plugins}]
      volumes: [{name: d, hostPath: {path: /var/lib/kubelet/device-plugins}}]
"""
ACCOUNT = "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: own, namespace: gpu}\n"
CLASS = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: mine}\n"
RUNTIME = "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: nvidia}\n"
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: few, namespace: gpu}\n"
DEPLOYMENT = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d, namespace: gpu}\n"
LEVEL = "pod-security.kubernetes.io/enforce"
NAMESPACE: JsonObject = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "gpu"}}
CREATE = Request("create", "pods", "gpu")


def labelled(level: str) -> str:
    return (
        f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: gpu, labels: {{{LEVEL}: {level}}}}}\n"
    )


class Server:
    """Takes every pod, or answers with an error."""

    def __init__(self, error: ApiError | None = None) -> None:
        self.error = error
        self.tried: list[JsonObject] = []

    async def create(self, _: object, pod: JsonObject, *, dry_run: bool) -> None:
        assert dry_run
        self.tried.append(cast("JsonObject", pod["spec"]))
        if self.error is not None:
            raise self.error


async def seen(
    server: Server, *units: str, objects: tuple[JsonObject, ...] = (NAMESPACE,)
) -> Observed:
    observed = observed_from(objects, at=0.0, complete={"Namespace", "PriorityClass"})
    made = [Unit(manifests=manifests_in(text, "f")) for text in units]
    return await with_trials_of_manifests(cast("Kube", server), observed, made)


async def test_a_plugin_is_tried_in_its_namespace_and_nothing_else_is() -> None:
    server = Server()
    found = await seen(server, f"{PLUGIN}---\n{DEPLOYMENT}")
    assert [item["serviceAccountName"] for item in server.tried] == ["own"]
    (answer,) = found.of_kind("PodDryRun")
    assert answer["status"] == {
        "component": "daemonset/gpu/plugin",
        "accepted": True,
        "message": "",
    }
    assert found.has(Need.DRY_RUNS)


async def test_what_comes_with_the_plugin_is_not_missed_in_the_cluster() -> None:
    server = Server()
    await seen(server, "---\n".join((PLUGIN, ACCOUNT, CLASS, RUNTIME)))
    (tried,) = server.tried
    assert not {"serviceAccountName", "priorityClassName", "runtimeClassName"} & set(tried)


async def test_a_priority_class_that_is_there_is_tried() -> None:
    server = Server()
    there: JsonObject = {"kind": "PriorityClass", "metadata": {"name": "mine"}}
    await seen(server, f"{PLUGIN}---\n{CLASS}", objects=(NAMESPACE, there))
    assert server.tried[0]["priorityClassName"] == "mine"


@pytest.mark.parametrize("comes", [labelled("privileged"), QUOTA], ids=["labels", "quota"])
async def test_a_namespace_that_the_manifests_change_is_not_asked(comes: str) -> None:
    server = Server()
    await seen(server, f"{PLUGIN}---\n{comes}")
    assert server.tried == []


async def test_a_namespace_that_is_not_there_is_not_asked() -> None:
    server = Server()
    await seen(server, PLUGIN, objects=())
    assert server.tried == []


async def test_a_plugin_that_is_written_in_two_ways_is_not_tried_and_one_written_twice_is() -> None:
    server = Server()
    await seen(server, PLUGIN, PLUGIN.replace("plugin:1", "plugin:2"))
    assert server.tried == []
    await seen(server, PLUGIN, PLUGIN)
    assert len(server.tried) == 1


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (BadRequest("hook does not support dry run", request=CREATE, code=400), "dry run"),
        (Forbidden("you may not create pods", request=CREATE, code=403), "may not create"),
    ],
    ids=["side effects", "permission"],
)
async def test_an_answer_that_tells_nothing_is_a_doubt_and_no_finding(
    error: ApiError, why: str
) -> None:
    if isinstance(error, Forbidden):
        error.user = "me"
    found = await seen(Server(error), PLUGIN)
    linted = Linted(manifests=manifests_in(PLUGIN, "f"), cluster=found)
    (said,) = namespace_refuses_pod.RULE.check(linted)
    assert isinstance(said, Doubt)
    assert why in said.why
    assert found.unread == ()


async def test_a_refusal_by_pod_security_is_found() -> None:
    text = 'pods "plugin-x" is forbidden: violates PodSecurity "baseline:latest": hostPath'
    found = await seen(Server(Forbidden(text, request=CREATE, code=403)), PLUGIN)
    linted = Linted(manifests=manifests_in(PLUGIN, "f"), cluster=found)
    (said,) = namespace_refuses_pod.RULE.check(linted)
    assert isinstance(said, Violation)
