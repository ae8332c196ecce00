"""Of a node that is not Ready nothing is known: that is said, and is no health."""

import pytest

from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.judge import diagnose
from bridgehead.core.diagnose.question import EVERYTHING, Question
from tests.core.diagnose.cluster import Object, ago, daemon_set, node, observed, plugin_pod

PLUGIN = Question(component="daemonset/gpu/plugin")
SILENT = f"n2 is not Ready since {ago(86400)}: nothing is known of its devices"


def told(*objects: Object, about: Question) -> Diagnosis:
    return diagnose(observed(*objects), (), about)


@pytest.mark.parametrize("ready", ["False", "Unknown"])
@pytest.mark.parametrize("about", [EVERYTHING, PLUGIN, Question(nodes=("n2",))])
def test_a_node_with_the_plugin_that_is_not_ready_is_not_known(ready: str, about: Question) -> None:
    pods = [plugin_pod("n1"), plugin_pod("n2")]
    found = told(daemon_set(2), node("n1"), node("n2", ready=ready), *pods, about=about)
    assert found.healthy is None
    assert [(item.what, item.why) for item in found.unread] == [("node n2", SILENT)]
    assert found.causes == ()


def test_a_node_without_the_plugin_counts_only_where_it_is_asked_about() -> None:
    objects = [daemon_set(1), node("n1"), node("n2", "", ready="False", unschedulable=True)]
    objects.append(plugin_pod("n1"))
    assert told(*objects, about=EVERYTHING).unread == ()
    assert told(*objects, about=PLUGIN).unread == ()
    (item,) = told(*objects, about=Question(nodes=("n2",))).unread
    assert item.why == SILENT


def test_another_node_is_judged_all_the_same() -> None:
    pods = [plugin_pod("n1"), plugin_pod("n2")]
    objects = [daemon_set(2), node("n1"), node("n2", ready="Unknown"), *pods]
    assert told(*objects, about=Question(nodes=("n1",))).healthy is True
