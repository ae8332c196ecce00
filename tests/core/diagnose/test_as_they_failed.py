"""Nodes as a run saw them fail, among what was read when the way back had begun."""

import msgspec

from bridgehead.core.diagnose.as_they_failed import AsItFailed, as_they_failed
from bridgehead.core.findings.observed import Log, LogId, Observed
from bridgehead.core.model.json import text
from bridgehead.core.model.pod import Pod
from tests.core.diagnose.cluster import CARD, Object, daemon_set, node, observed, plugin_pod, pod

PLUGIN = "daemonset/gpu/plugin"
THEN = observed(
    daemon_set(2),
    node("n1", "4/0"),
    plugin_pod("n1", uid="failed"),
    pod("user", "n1", asks=1),
)
"""What the run saw: the node without devices, and the pod that failed."""


def pods_of(seen: Observed, *names: str) -> tuple[Pod, ...]:
    return tuple(it for it in seen.snapshot.pods if it.name in names)


def moment(**more: object) -> AsItFailed:
    (failed,) = THEN.snapshot.nodes
    return AsItFailed(gate="log", node=failed, pods=pods_of(THEN, "plugin-n1"), **more)  # type: ignore[arg-type]


def successor(at: str) -> Object:
    found = plugin_pod(at, uid=f"after-{at}")
    found["metadata"]["name"] = f"plugin-{at}-after"
    return found


def now(*more: Object, logs: dict[LogId, Log] | None = None) -> Observed:
    """What was read: the node is sound again, with a successor of the pod."""
    other = pod("web", "n1")
    other["metadata"]["uid"] = "of-web"
    both = (node("n1"), node("n2"), successor("n1"), plugin_pod("n2", uid="of-n2"), other)
    return observed(daemon_set(2), *both, *more, logs=logs or {})


def seen(read: Observed, it: AsItFailed, component: str = PLUGIN) -> Observed:
    return as_they_failed(read, component, {"n1": it}, ["n1"])


def names(found: Observed) -> list[str]:
    return [it.name for it in found.snapshot.pods]


def test_the_node_and_its_pod_stand_in_the_place_of_what_they_have_become() -> None:
    found = seen(now(), moment())
    shown = {it.name: str(it.offer(CARD)) for it in found.snapshot.nodes}
    assert shown == {"n1": "4/0", "n2": "4/4"}
    assert names(found) == ["plugin-n1", "plugin-n2", "web"]


def test_a_pod_that_is_still_there_is_not_there_twice() -> None:
    leaving = plugin_pod("n1", uid="failed", deletionTimestamp="2026-01-31T12:00:00Z")
    found = seen(now(leaving), moment())
    assert names(found) == ["plugin-n1", "plugin-n2", "web"]
    assert not any(it.deleting for it in found.snapshot.pods)
    raw = {text(it, "metadata", "uid"): it["metadata"] for it in found.of_kind("Pod")}
    assert set(raw) == {"failed", "of-n2", "of-web"}
    assert all("deletionTimestamp" not in it for it in raw.values() if isinstance(it, dict))


def test_pods_of_an_unknown_component_are_left_as_they_were_read() -> None:
    found = seen(now(), moment(), component="daemonset/gpu/other")
    assert names(found) == ["plugin-n1", "plugin-n1-after", "plugin-n2", "web"]


def test_users_that_were_refused_are_there_again() -> None:
    (user,) = pods_of(THEN, "user")
    refused = msgspec.structs.replace(user, uid="of-user")
    still = pod("user", "n1")
    still["metadata"]["uid"] = "of-user"
    for read in (now(), now(still)):
        found = seen(read, moment(users=(refused,)))
        assert names(found).count("user") == 1


def test_logs_are_of_pods_that_were_there_and_what_was_read_outranks_what_the_run_saw() -> None:
    own = LogId("gpu", "plugin-n1", "ctr")
    later = LogId("gpu", "plugin-n1-after", "ctr")
    saw = moment(logs={"failed": "cannot find it\n"})
    found = seen(now(logs={later: Log(("fine",))}), saw)
    assert {key: log.lines for key, log in found.logs.items()} == {own: ("cannot find it",)}
    assert found.logs[own].cut
    found = seen(now(logs={own: Log(("start", "cannot find it"))}), saw)
    assert found.logs[own].lines == ("start", "cannot find it")


def test_the_end_of_a_log_is_nobodys_where_the_pod_has_two_containers_or_said_nothing() -> None:
    assert seen(now(), moment(logs={"failed": ""})).logs == {}
    two = plugin_pod("n1", uid="failed")
    two["spec"]["containers"].append({"name": "second", "image": "x:1"})
    then = observed(daemon_set(2), node("n1", "4/0"), two)
    (failed,) = then.snapshot.nodes
    it = AsItFailed(gate="log", node=failed, pods=then.snapshot.pods, logs={"failed": "words\n"})
    assert seen(now(), it).logs == {}


def test_what_the_run_tried_goes_with_it() -> None:
    verdicts = seen(now(), moment()).verdicts
    assert (verdicts.component, verdicts.failed) == (PLUGIN, {"n1": "log"})
    assert verdicts.former_back == {"n1"}
    assert (verdicts.gate(PLUGIN, "n1"), verdicts.gate("daemonset/gpu/other", "n1")) == ("log", "")
    assert verdicts.gate(PLUGIN, "n2") == ""
    assert not verdicts.waited("n1")
    assert not verdicts.waited("n2")


def test_every_gate_but_that_of_logs_has_waited() -> None:
    (failed,) = THEN.snapshot.nodes
    found = seen(now(), AsItFailed(gate="allocatable", node=failed))
    assert found.verdicts.waited("n1")
