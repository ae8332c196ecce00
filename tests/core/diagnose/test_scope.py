"""Where something is seen: compared with nodes that run the same version, and with no others."""

from bridgehead.core.diagnose.cause import Blame, Cause
from bridgehead.core.diagnose.diagnosis import Ranked
from bridgehead.core.diagnose.judge import diagnose
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from tests.core.diagnose.cluster import CARD, Object, daemon_set, node, observed, plugin_pod, pod

PLUGIN = ObjectRef("apps/v1", "DaemonSet", "gpu", "plugin")
KUBELET = ObjectRef("v1", "Node", "", "n1")
MODEL = "nvidia.com/gpu.product"


def card(name: str, model: str, offer: str = "4/4") -> Object:
    return node(name, offer, labels={MODEL: model})


def seen(*objects: Object, nodes: tuple[str, ...] = ("n1",), about: ObjectRef = PLUGIN) -> Ranked:
    cause = Cause(
        message="it fails",
        blame=Blame.UNKNOWN,
        evidence=(Evidence("status", "one"), Evidence("status", "two")),
        refuted_by="another look",
        object=about,
        nodes=nodes,
        explains=(f"devices/{nodes[0]}/{CARD}",),
        remedy="mend it",
    )
    rule = DiagnosisRule(
        name="it",
        severity=Severity.ERROR,
        confidence=Confidence.HIGH,
        level=3,
        supersedes=frozenset(),
        check=lambda _: (cause,),
    )
    return diagnose(observed(*objects), [rule]).causes[0]


def test_a_node_with_another_version_says_nothing_of_this_one() -> None:
    found = seen(
        daemon_set(2),
        card("n1", "H100", "0/0"),
        card("n2", "L40S"),
        plugin_pod("n1", revision="new"),
        plugin_pod("n2", revision="old"),
    )
    assert found.scope == "the only node with this version"


def test_all_nodes_with_a_version_are_not_all_nodes() -> None:
    found = seen(
        daemon_set(3),
        *(card(name, "H100", "0/0") for name in ("n1", "n2")),
        card("n3", "L40S"),
        *(plugin_pod(name, revision="new") for name in ("n1", "n2")),
        plugin_pod("n3", revision="old"),
        nodes=("n1", "n2"),
    )
    assert found.scope == "all 2 nodes with this version"


def test_a_version_that_is_sound_on_another_model_is_the_second_proof() -> None:
    found = seen(
        daemon_set(3),
        card("n1", "L40S", "0/0"),
        card("n2", "H100"),
        card("n3", "L40S"),
        *(plugin_pod(name, revision="new") for name in ("n1", "n2")),
        plugin_pod("n3", revision="old"),
    )
    scope = "node n1 alone, of 2 with this version: exactly those with device L40S"
    assert found.scope == f"{scope}; the others have H100"
    assert [item.source for item in found.evidence] == ["status", "where it is seen", "status"]


def test_a_contrast_without_a_key_that_tells_it_stays_last() -> None:
    names = ("n1", "n2")
    nodes = [card("n1", "L40S", "0/0"), card("n2", "L40S")]
    found = seen(daemon_set(2), *nodes, *(plugin_pod(name, revision="new") for name in names))
    assert found.scope == "node n1 alone, of 2"
    assert found.evidence[-1].source == "where it is seen"


def test_a_node_is_not_alone_where_another_one_with_the_version_is_not_sound_either() -> None:
    names = ("n1", "n2")
    nodes = [card("n1", "L40S", "0/0"), card("n2", "H100", "0/0")]
    found = seen(daemon_set(2), *nodes, *(plugin_pod(name, revision="new") for name in names))
    assert found.scope == "node n1, of 2"


def test_nodes_without_the_plugin_are_left_out() -> None:
    nodes = [card(f"n{number}", "L40S") for number in range(1, 6)]
    found = seen(daemon_set(2), *nodes, plugin_pod("n1"), plugin_pod("n2"))
    assert found.scope == "node n1 alone, of 2 on which it runs"


def test_the_only_node_on_which_the_plugin_runs() -> None:
    found = seen(daemon_set(1), card("n1", "L40S"), card("n2", "L40S"), plugin_pod("n1"))
    assert found.scope == "the only node on which it runs"


def test_what_is_about_no_plugin_is_compared_with_every_node_with_devices() -> None:
    found = seen(
        daemon_set(2),
        card("n1", "H100"),
        card("n2", "L40S"),
        plugin_pod("n1", revision="new"),
        plugin_pod("n2", revision="old"),
        about=KUBELET,
    )
    assert found.scope == (
        "node n1 alone, of 2: exactly those with device H100; the others have L40S"
    )
    assert found.evidence[-1].source == "where it is seen"


def test_a_workload_is_compared_with_nodes_that_gave_devices_by_the_same_version() -> None:
    nodes = [card(f"n{number}", "L40S") for number in range(1, 6)]
    plugins = [plugin_pod(name, revision="new") for name in ("n1", "n2")]
    objects = [daemon_set(2), *nodes, *plugins, pod("bad", "n1", asks=1)]
    about = ObjectRef("v1", "Pod", "ml", "bad")
    assert seen(*objects, about=about).scope == "node n1, of 2 on which it runs"
    good = pod("good", "n2", asks=1)
    assert seen(*objects, good, about=about).scope == "node n1 alone, of 2 on which it runs"
