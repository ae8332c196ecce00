"""What a plugin may do, by its pod or its template."""

import pytest

from bridgehead.core.components.generic import FAMILY
from bridgehead.core.components.resources import Offered
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.rights import enforces_apparmor, enforces_selinux, rights_of
from bridgehead.core.diagnose.scene import Plugin
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.model.node import Node
from tests.core.inventory.cluster import component

MOUNTS: JsonObject = {"name": "d", "mountPath": "/x"}
VOLUME: JsonObject = {"name": "d", "hostPath": {"path": "/var/lib/kubelet/device-plugins"}}


def post(pod: JsonObject, container: JsonObject, **metadata: JsonValue) -> Post:
    side: JsonObject = {"name": "side", "securityContext": {"privileged": True}}
    own: JsonObject = {"name": "ctr", "volumeMounts": [MOUNTS], "securityContext": container}
    spec: JsonObject = {"securityContext": pod, "containers": [side, own], "volumes": [VOLUME]}
    raw: JsonObject = {"metadata": metadata, "spec": spec}
    offered = Offered((), "", Confidence.LOW)
    plugin = Plugin(component=component(template=raw), family=FAMILY, offered=offered, pods=())
    return Post(
        plugin=plugin,
        node=Node("n1"),
        pod=None,
        raw={},
        logs=(),
        names=(),
        symptoms=(),
        vain=(),
        now=0.0,
    )


def test_the_container_that_registers_is_looked_at() -> None:
    rights = rights_of(post({}, {}))
    assert (rights.container, rights.privileged, rights.user) == ("ctr", False, None)


def test_the_containers_word_comes_before_the_pods() -> None:
    rights = rights_of(post({"runAsUser": 1000, "runAsNonRoot": True}, {"runAsUser": 0}))
    assert rights.user == 0
    assert not rights.not_root
    assert rights_of(post({"runAsNonRoot": True}, {})).not_root


def test_apparmor_by_field_and_by_annotation() -> None:
    assert rights_of(post({}, {"appArmorProfile": {"type": "Unconfined"}})).apparmor == "Unconfined"
    key = "container.apparmor.security.beta.kubernetes.io/ctr"
    assert rights_of(post({}, {}, annotations={key: "unconfined"})).apparmor == "Unconfined"


@pytest.mark.parametrize(
    ("image", "selinux", "apparmor"),
    [
        ("Fedora Linux 39 (Server Edition)", True, False),
        ("Red Hat Enterprise Linux CoreOS 416.94", True, False),
        ("Ubuntu 24.04.1 LTS", False, True),
        ("SUSE Linux Enterprise Server 15 SP5", False, True),
        ("SUSE Linux Micro 6.0: SL Micro", True, False),
        ("Talos (v1.9.0)", False, False),
    ],
)
def test_what_distributions_enforce(image: str, selinux: bool, apparmor: bool) -> None:
    assert (enforces_selinux(image), enforces_apparmor(image)) == (selinux, apparmor)
