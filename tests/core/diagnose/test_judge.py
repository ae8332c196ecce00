"""Causes in their order, effects below them, what is left, and what nobody knows."""

from collections.abc import Callable, Iterable

import msgspec

from bridgehead.core.diagnose.cause import Blame, Cause
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.judge import diagnose
from bridgehead.core.diagnose.question import EVERYTHING, Question
from bridgehead.core.diagnose.ranking import LAST_LEVEL
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.snapshot import Unread
from bridgehead.rules.diagnosis.unexplained.unexplained import RULE as UNEXPLAINED
from tests.core.diagnose.cluster import CARD, Object, daemon_set, node, observed, plugin_pod, pod

PLUGIN = ObjectRef("apps/v1", "DaemonSet", "gpu", "plugin")


def rule(
    name: str,
    *causes: Cause | Doubt,
    level: int = 3,
    supersedes: Iterable[str] = (),
    severity: Severity = Severity.ERROR,
    confidence: Confidence = Confidence.HIGH,
    check: Callable[[Scene], Iterable[Cause | Doubt]] | None = None,
) -> DiagnosisRule:
    return DiagnosisRule(
        name=name,
        severity=severity,
        confidence=confidence,
        level=level,
        supersedes=frozenset(supersedes),
        check=check or (lambda _: causes),
    )


def cause(
    message: str, *explains: str, nodes: Iterable[str] = (), about: ObjectRef = PLUGIN
) -> Cause:
    return Cause(
        message=message,
        blame=Blame.DRIFT,
        evidence=(Evidence("status", message),),
        refuted_by="another look",
        object=about,
        nodes=tuple(nodes),
        explains=explains,
        remedy="mend it",
    )


def short(*names: str) -> list[Object]:
    """A cluster in which these nodes have lost their devices; n1 to n4 have theirs."""
    good = [f"n{number}" for number in range(1, 5)]
    every = [*good, *names]
    nodes = [*map(node, good), *(node(name, "0/0") for name in names)]
    return [daemon_set(len(every)), *nodes, *map(plugin_pod, every)]


def devices(name: str) -> str:
    return f"devices/{name}/{CARD}"


def said(
    *rules: DiagnosisRule, objects: Iterable[Object], about: Question = EVERYTHING
) -> Diagnosis:
    return diagnose(observed(*objects), rules, about)


def names(found: Diagnosis) -> list[str]:
    return [item.rule for item in found.causes]


def test_what_explains_more_comes_first_and_what_is_only_seen_comes_last() -> None:
    found = said(
        rule("seen", cause("seen", devices("b1"), devices("b2")), severity=Severity.INFO),
        rule("one", cause("one", devices("b1"), nodes=["b1"])),
        rule("two", cause("two", devices("b1"), devices("b2"), nodes=["b1", "b2"])),
        objects=short("b1", "b2"),
    )
    assert names(found) == ["two", "one", "seen"]
    assert found.healthy is False


def test_how_sure_a_cause_is_weighs_what_it_explains() -> None:
    found = said(
        rule("guess", cause("guess", devices("b1"), devices("b2")), confidence=Confidence.LOW),
        rule("proof", cause("proof", devices("b1"))),
        objects=short("b1", "b2"),
    )
    assert names(found) == ["proof", "guess"]


def test_a_cause_that_another_rule_supersedes_is_an_effect_below_it() -> None:
    found = said(
        rule("crash", cause("crash", devices("b1"), nodes=["b1"])),
        rule("driver", cause("driver", devices("b1"), nodes=["b1"]), supersedes=["crash"]),
        objects=short("b1"),
    )
    assert names(found) == ["driver"]
    assert [item.rule for item in found.causes[0].effects] == ["crash"]


def test_superseding_needs_that_they_meet() -> None:
    elsewhere = ObjectRef("apps/v1", "DaemonSet", "gpu", "other")
    found = said(
        rule("crash", cause("crash", devices("b1"), nodes=["b1"])),
        rule(
            "driver",
            cause("driver", devices("b2"), nodes=["b2"], about=elsewhere),
            supersedes=["crash"],
        ),
        objects=short("b1", "b2"),
    )
    assert names(found) == ["crash", "driver"]


def test_what_an_earlier_step_explains_wholly_is_its_effect_and_a_rival_stays() -> None:
    waiting = pod("train", asks=1)
    found = said(
        rule("plugin", cause("plugin", devices("b1"), nodes=["b1"]), level=2),
        rule("refusal", cause("refusal", "pod/ml/train"), level=4),
        rule("rival", cause("rival", devices("b1"), nodes=["b1"]), level=2),
        objects=[*short("b1"), waiting],
    )
    assert names(found) == ["plugin", "rival"]
    assert [item.rule for item in found.causes[0].effects] == ["refusal"]
    assert found.causes[0].explains == (devices("b1"), "pod/ml/train")


def test_a_cause_said_node_by_node_is_one_with_all_its_nodes() -> None:
    found = said(
        rule(
            "x",
            cause("same", devices("b1"), nodes=["b1"]),
            cause("same", devices("b2"), nodes=["b2"]),
        ),
        objects=short("b1", "b2"),
    )
    assert [item.nodes for item in found.causes] == [("b1", "b2")]


def test_what_nothing_explains_is_one_last_cause_and_consequences_count_as_explained() -> None:
    objects = [*short("b1", "b2"), pod("train", asks=1)]
    found = said(rule("one", cause("one", devices("b1"))), UNEXPLAINED, objects=objects)
    assert names(found) == ["one", "unexplained"]
    assert found.causes[1].explains == (devices("b2"),)
    assert [(item.key, item.explained_by) for item in found.symptoms] == [
        ("pod/ml/train", ("one",)),
        (devices("b1"), ("one",)),
        (devices("b2"), ("unexplained",)),
    ]


def test_a_sound_cluster_is_healthy_only_if_all_was_read() -> None:
    sound = short()
    assert said(UNEXPLAINED, objects=sound).healthy is True
    found = observed(*sound)
    unread = msgspec.structs.replace(found, unread=(Unread("events", "forbidden"),))
    assert diagnose(unread, [UNEXPLAINED]).healthy is None
    unmet = msgspec.structs.replace(found, met=frozenset())
    assert diagnose(unmet, [UNEXPLAINED]).healthy is None


def test_what_is_only_seen_leaves_a_cluster_healthy() -> None:
    found = said(rule("seen", cause("seen"), severity=Severity.INFO), objects=short())
    assert (found.healthy, names(found)) == (True, ["seen"])


def test_a_rule_that_crashes_is_told_and_nothing_is_called_healthy() -> None:
    def crash(_: Scene) -> Iterable[Cause]:
        raise ValueError("our own mistake")

    found = said(rule("bad", check=crash), objects=short())
    assert found.failures[0].rule == "bad"
    assert found.healthy is None


def test_doubts_are_told_once() -> None:
    doubt = Doubt(why="no log")
    found = said(rule("x", doubt, doubt), objects=short())
    assert [(item.rule, item.why) for item in found.not_known] == [("x", "no log")]


def test_the_last_rules_see_only_what_is_left() -> None:
    seen: list[str] = []

    def look(scene: Scene) -> Iterable[Cause]:
        seen.extend(item.key for item in scene.symptoms)
        return ()

    last = rule("last", check=look, level=LAST_LEVEL)
    said(rule("one", cause("one", devices("b1"))), last, objects=short("b1", "b2"))
    assert seen == [devices("b2")]


def test_a_question_about_a_node_leaves_out_what_concerns_others() -> None:
    rules = (
        rule("one", cause("one", devices("b1"), nodes=["b1"])),
        rule("two", cause("two", devices("b2"), nodes=["b2"])),
    )
    found = said(*rules, objects=short("b1", "b2"), about=Question(nodes=("b2",)))
    assert names(found) == ["two"]
    assert [item.key for item in found.symptoms] == [devices("b2")]
    assert found.about == "node b2"


def test_a_question_about_a_component_leaves_out_what_concerns_others() -> None:
    other = ObjectRef("apps/v1", "DaemonSet", "gpu", "other")
    rules = (
        rule("mine", cause("mine", devices("b1"))),
        rule("others", cause("others", about=other)),
    )
    about = Question(component="daemonset/gpu/plugin")
    assert names(said(*rules, objects=short("b1"), about=about)) == ["mine"]
    about = Question(component="daemonset/gpu/other")
    assert names(said(*rules, objects=short("b1"), about=about)) == ["others"]


def test_scope_says_what_bad_nodes_have_in_common_that_good_ones_have_not() -> None:
    good = [node(f"n{number}", info={"kernelVersion": "6.8"}) for number in range(1, 5)]
    bad = [node(name, "0/0", info={"kernelVersion": "5.15"}) for name in ("b1", "b2")]
    pods = [plugin_pod(item["metadata"]["name"]) for item in (*good, *bad)]
    found = said(
        rule("x", cause("x", devices("b1"), devices("b2"), nodes=["b1", "b2"])),
        objects=[daemon_set(6), *good, *bad, *pods],
    )
    scope = "2 nodes, of 6: exactly those with kernel 5.15; the others have 6.8"
    assert found.causes[0].scope == scope
    assert Evidence("where it is seen", scope) in found.causes[0].evidence


def test_scope_does_not_tell_nodes_from_others_by_what_has_failed_on_them() -> None:
    good = [node(f"n{number}") for number in range(1, 5)]
    objects = [*good, node("b1", resource="vendor.example/other"), daemon_set(5)]
    found = said(rule("x", cause("x", nodes=["b1"])), objects=objects)
    assert found.causes[0].scope == "node b1 alone, of 5"


def test_scope_of_one_node_of_all_nodes_and_of_a_pod() -> None:
    one = rule("one", cause("one", nodes=["b1"]))
    every = rule("every", cause("every", nodes=["b1", "n1", "n2", "n3", "n4"]))
    single = rule("pod", cause("pod", about=ObjectRef("v1", "Pod", "ml", "train")))
    found = said(one, every, single, objects=short("b1"))
    assert {item.rule: item.scope for item in found.causes} == {
        "one": "node b1 alone, of 5",
        "every": "all 5 nodes",
        "pod": "one pod, ml/train",
    }


def test_that_it_was_bad_before_is_said() -> None:
    reading = {"time": "2026-01-30T12:00:00Z", "node": "b1", "resource": CARD}
    history = {
        "apiVersion": "bridgehead.dev/v1",
        "kind": "DeviceHistory",
        "metadata": {"name": "before"},
        "readings": [reading | {"capacity": 0, "allocatable": 0}],
    }
    found = said(
        rule("x", cause("x", devices("b1"), nodes=["b1"])), objects=[*short("b1"), history]
    )
    assert found.causes[0].evidence[-1] == Evidence(
        "reading of node b1 at 2026-01-30T12:00:00.000Z",
        f"{CARD} 0/0 even then: it was bad before",
    )


def test_the_same_input_in_another_order_gives_the_same_bytes() -> None:
    objects = [*short("b1", "b2"), pod("train", asks=1)]
    rules = (
        rule("one", cause("one", devices("b1"), nodes=["b1"])),
        rule("two", cause("two", devices("b2"), nodes=["b2"])),
        UNEXPLAINED,
    )
    first = msgspec.json.encode(said(*rules, objects=objects))
    again = msgspec.json.encode(said(*rules, objects=reversed(objects)))
    assert first == again


def test_a_question_about_a_component_is_about_the_name_that_it_has_left_behind() -> None:
    """The former name stays on its nodes, and pods go on to ask for it."""
    old = f"{CARD}-old"
    renamed = node("n1")
    for field in ("capacity", "allocatable"):
        renamed["status"][field][old] = "0"
    waits = pod("train", asks=1, resource=old)
    waits["status"]["phase"] = "Pending"
    dead = cause("dead", f"pod/{waits['metadata']['namespace']}/train", about=ObjectRef())
    found = said(
        rule("dead", dead),
        objects=[daemon_set(1), renamed, plugin_pod("n1"), waits],
        about=Question(component="daemonset/gpu/plugin"),
    )
    assert names(found) == ["dead"]
