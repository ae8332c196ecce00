"""Pods of our own: what they ask for, what they take over from the component, and what not."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.cluster.names import LABEL_LIMIT, component_label, lease_name, own_pod_name
from bridgehead.cluster.own_pods import own_pod, selects
from bridgehead.core.plan.settings import ComponentKind, ComponentRef, ProbeSettings
from bridgehead.core.rollout.commands import Role
from tests.cluster.components import RESOURCE
from tests.cluster.pure import plan


def test_a_pull_pod_has_a_container_for_each_new_image_and_no_device() -> None:
    changes = {"plugin": "r/a:2", "init": "r/b:2", "sidecar": "r/a:2"}
    containers = own_pod(plan(changes=changes), "run", "n1", Role.PULL)["spec"]["containers"]
    assert sorted(item["image"] for item in containers) == ["r/a:2", "r/b:2"]
    assert all(item["command"] == ["/.bridgehead-probe"] for item in containers)
    assert all("resources" not in item for item in containers)


def test_a_probe_asks_for_one_device_with_the_image_that_the_node_runs() -> None:
    spec = own_pod(plan(), "run", "n1", Role.PROBE, running="registry.example/plugin:1")["spec"]
    (container,) = spec["containers"]
    assert container["image"] == "registry.example/plugin:1"
    assert container["command"] == ["/.bridgehead-probe"]
    assert container["resources"] == {"limits": {RESOURCE: "1"}}


def test_a_probe_on_a_node_without_the_component_uses_the_target_image() -> None:
    (container,) = own_pod(plan(), "run", "n1", Role.PROBE)["spec"]["containers"]
    assert container["image"] == "registry.example/plugin:2"


def test_the_users_probe_runs_what_the_user_wrote() -> None:
    probe = ProbeSettings(image="r/check:1", command=("/check", "-v"))
    made = own_pod(plan(probe=probe), "run", "n1", Role.PROBE, running="r/plugin:1")
    (container,) = made["spec"]["containers"]
    assert (container["image"], container["command"]) == ("r/check:1", ["/check", "-v"])
    assert container["resources"] == {"limits": {RESOURCE: "1"}}


@pytest.mark.parametrize("role", Role)
def test_only_what_decides_about_pull_and_start_comes_from_the_template(role: Role) -> None:
    made = own_pod(
        plan(
            imagePullSecrets=[{"name": "pull"}],
            serviceAccountName="plugin",
            runtimeClassName="nvidia",
            hostNetwork=True,
            priorityClassName="system-node-critical",
            volumes=[{"name": "plugins", "hostPath": {"path": "/var/lib/kubelet"}}],
        ),
        "run",
        "n1",
        role,
    )
    spec = made["spec"]
    assert spec["imagePullSecrets"] == [{"name": "pull"}]
    assert spec["serviceAccountName"] == "plugin"
    assert spec["runtimeClassName"] == "nvidia"
    assert spec["automountServiceAccountToken"] is False
    assert not spec.keys() & {"hostNetwork", "priorityClassName", "volumes", "nodeSelector"}


@pytest.mark.parametrize("role", Role)
def test_it_goes_to_its_node_whatever_keeps_others_off_and_ends_by_itself(role: Role) -> None:
    spec = own_pod(plan(), "run", "n1", role)["spec"]
    affinity = spec["affinity"]["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    (term,) = affinity["nodeSelectorTerms"]
    assert term == {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}
    assert spec["tolerations"] == [{"operator": "Exists"}]
    assert "nodeName" not in spec
    assert spec["restartPolicy"] == "Never"
    assert spec["activeDeadlineSeconds"] > 30


def test_its_labels_are_ours_and_no_others() -> None:
    labels = own_pod(plan(), "run", "n1", Role.PULL)["metadata"]["labels"]
    assert labels == {"bridgehead.dev/run": "run", "bridgehead.dev/role": "pull"}


LABELS = {"bridgehead.dev/run": "run", "bridgehead.dev/role": "pull"}


@pytest.mark.parametrize(
    ("selector", "selected"),
    [
        ({"matchLabels": {"app": "plugin"}}, False),
        ({"matchLabels": {"bridgehead.dev/run": "run"}}, True),
        ({}, True),
        ({"matchExpressions": [{"key": "app", "operator": "Exists"}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "NotIn", "values": ["x"]}]}, True),
        ({"matchExpressions": [{"key": "app", "operator": "In", "values": ["x"]}]}, False),
        ({"matchExpressions": [{"key": "app", "operator": "Newer"}]}, True),
    ],
)
def test_a_selector_that_would_select_our_pods_is_seen(
    selector: dict[str, object], selected: bool
) -> None:
    assert selects(selector, LABELS) is selected  # type: ignore[arg-type]


NAMES = st.from_regex(r"[a-z0-9]([-a-z0-9.]{0,200}[a-z0-9])?", fullmatch=True)


@given(NAMES, NAMES, st.sampled_from(Role))
def test_names_of_our_pods_are_dns_labels_and_differ(run: str, node: str, role: Role) -> None:
    name = own_pod_name(run, role, node)
    assert re.fullmatch(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", name)
    assert len(name) <= LABEL_LIMIT
    assert name == own_pod_name(run, role, node)
    assert name != own_pod_name(run, role, f"{node}x")
    assert name != own_pod_name(f"{run}x", role, node)


@given(st.from_regex(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", fullmatch=True), NAMES)
def test_names_for_a_component_fit_where_they_stand(namespace: str, name: str) -> None:
    ref = ComponentRef(ComponentKind.DAEMON_SET, namespace, name)
    assert len(lease_name(ref)) <= 253
    assert len(component_label(ref)) <= LABEL_LIMIT
    assert component_label(ref)[-1].isalnum()
