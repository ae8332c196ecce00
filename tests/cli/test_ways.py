"""What is printed after a run stopped for a person is done as printed, and the run ends by it."""

import json
import re
import shlex
from collections.abc import Callable

import msgspec
import pytest

from bridgehead.app.release import Left, OfRevision
from bridgehead.app.runner import Ended
from bridgehead.cli.next_commands import next_command
from bridgehead.cli.release import after_mixed
from bridgehead.cli.ways import after_foreign_change
from bridgehead.core.model.json import JsonObject
from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from bridgehead.core.rollout.adopting import adopted
from bridgehead.core.rollout.decision import note
from bridgehead.core.rollout.state import Ending, Mode, Stray
from tests.core.rollout.asking import abort, go_on
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.controller import ROLLING, DaemonSet, hash_of, template_of
from tests.core.standin.runner import Runner
from tests.core.standin.versions import GOOD, Version

REF = "daemonset/plugins/plugin"


def soaking(runner: Runner) -> bool:
    return runner.state.soak_since is not None and not runner.state.working


def restart_test(runner: Runner) -> bool:
    return "cordon a1 done" in runner.steps_text


def daemonset(scene: Scene) -> DaemonSet:
    assert scene.cluster.daemonset is not None
    return scene.cluster.daemonset


def stopped(
    at: Callable[[Runner], bool],
    *,
    template: JsonObject | None = None,
    strategy: JsonObject | None = None,
) -> tuple[Scene, str]:
    """A run that somebody's write has stopped there, and what is printed then."""
    scene = Scene()
    scene.runner.until(at)
    found = daemonset(scene)
    found.write(scene.cluster.now, "kubectl-edit", template=template, strategy=strategy)
    return scene, printed(scene, scene.run())


def printed(scene: Scene, ending: Ending) -> str:
    assert ending.exit == 4
    result = Ended(run=scene.runner.run_value, ending=ending, head="")
    return next_command(result, "bridgehead rollout -f x.yaml", " --context c")


def commands(line: str) -> list[str]:
    """Each command of the line."""
    return re.findall(r"(?:kubectl|bridgehead) .*?--context c", line)


def typed(scene: Scene, command: str) -> Ending | None:
    """Do to the stand-in what the command does to a cluster."""
    words = shlex.split(command)
    now = scene.cluster.now
    match words[:3]:
        case ["kubectl", "rollout", "undo"]:
            number = int(next(word for word in words if "--to-revision" in word).split("=")[1])
            hashes = {item.number: item.hash for item in daemonset(scene).revisions}
            known = {hash_of(template_of(tag)): template_of(tag) for tag in ("v1", "v2", "v3")}
            daemonset(scene).write(now, "kubectl", template=known[hashes[number]])
        case ["kubectl", "patch", _]:
            (step,) = json.loads(words[words.index("-p") + 1])
            assert (step["op"], step["path"]) == ("replace", "/spec/updateStrategy")
            daemonset(scene).write(now, "kubectl", strategy=step["value"])
        case ["bridgehead", "resume", _]:
            return held(scene).run()
        case ["bridgehead", "rollback", _]:
            runner = held(scene)
            runner.record(note("turn", "back", detail={"reason": "asked for a rollback"}))
            return runner.run()
    scene.cluster.advance(60)
    return None


def held(scene: Scene) -> Runner:
    """The next holder, as it begins."""
    state = scene.runner.state
    component = scene.cluster.world().component
    detail: JsonObject = {"holder": state.holder + 1, **adopted(scene.runner.run_value, component)}
    runner = go_on(scene)
    runner.record(note("run", "held", detail=detail))
    return runner


CHANGES: dict[str, dict[str, JsonObject]] = {
    "a third template": {"template": template_of("v3")},
    "the target": {"template": template_of("v2")},
    "another strategy": {"strategy": ROLLING},
    "a third template under RollingUpdate": {"template": template_of("v3"), "strategy": ROLLING},
    "OnDelete": {"strategy": {"type": "OnDelete"}},
}
BEFORE = ("a third template", "the target", "OnDelete")
UNDER_THE_RUN = tuple(name for name in CHANGES if name != "OnDelete")


@pytest.mark.parametrize("way", ["resume", "rollback"])
@pytest.mark.parametrize(
    ("at", "change"),
    [(restart_test, name) for name in BEFORE] + [(soaking, name) for name in UNDER_THE_RUN],
)
def test_the_printed_way_ends_the_run(at: Callable[[Runner], bool], change: str, way: str) -> None:
    scene, line = stopped(at, **CHANGES[change])
    chosen = [item for item in commands(line) if "kubectl" in item or f" {way} " in item]
    endings = [typed(scene, command) for command in chosen]
    assert endings[-1] is not None
    assert endings[-1].exit == (0 if way == "resume" else 3), endings[-1].summary
    tag = "v2" if way == "resume" else "v1"
    assert scene.cluster.tags() == dict.fromkeys(FOUR, tag)
    assert scene.cluster.leftovers == []


def test_a_third_template_is_put_back_by_a_person_or_left_by_release() -> None:
    scene, line = stopped(soaking, template=template_of("v3"))
    number = max(
        item.number
        for item in daemonset(scene).revisions
        if item.hash == hash_of(template_of("v1"))
    )
    assert line == (
        f"kubectl rollout undo ds/plugin --to-revision={number} -n plugins --context c, then: "
        f"go on: bridgehead resume {REF} --context c; "
        f"take all back: bridgehead rollback {REF} --context c; "
        f"or give the run up and leave what stands: bridgehead release {REF} --context c"
    )


def test_a_run_that_goes_back_is_told_only_the_way_back() -> None:
    scene, _ = stopped(soaking, template=template_of("v3"))
    abort(scene.cluster)
    again = held(scene)
    line = printed(scene, again.run())
    assert again.state.mode is Mode.BACK
    assert "resume" not in line
    for command in commands(line)[:2]:
        ending = typed(scene, command)
    assert ending is not None
    assert ending.exit == 3


def test_the_nodes_are_listed_with_the_hash_of_their_pod() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    daemonset(scene).write(scene.cluster.now, "kubectl-edit", template=template_of("v3"))
    told = scene.run().summary
    assert f"a1 -> {hash_of(template_of('v2'))} (the new version)" in told
    assert f"a2, b1, b2 -> {hash_of(template_of('v1'))} (the former)" in told


def test_a_former_revision_that_is_gone_is_asked_for_in_words() -> None:
    ref = ComponentRef(ComponentKind.DAEMON_SET, "plugins", "plugin")
    line = after_foreign_change(ref, Stray(template=True), Mode.FORWARD, "")
    assert line.startswith("put the template back that was there before, then: go on: bridgehead")


def test_with_the_component_gone_and_nothing_left_the_journal_is_read() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.daemonset = None
    assert printed(scene, scene.run()) == "bridgehead journal test-1 --context c"


def test_with_another_component_of_its_name_what_is_held_is_released() -> None:
    scene = Scene()
    scene.runner.until(lambda runner: "delete-pod a1 done" in runner.steps_text)
    daemonset(scene).uid = "ds-2"
    assert printed(scene, scene.run()) == f"bridgehead release {REF} --context c"


def test_a_run_whose_record_was_edited_can_only_be_released() -> None:
    scene = Scene()
    scene.runner.until(soaking)
    scene.cluster.record = "the record was changed by somebody else"
    assert printed(scene, scene.run()) == f"bridgehead release {REF} --context c"


def test_after_a_node_is_mended_a_way_back_that_it_keeps_open_is_gone_on_with() -> None:
    scene = Scene(Version(devices=0, only_on=frozenset({"b2"})))
    scene.runner.until(lambda runner: "turn b2 hold" in runner.steps_text)
    scene.cluster.drifted["b2"] = Version(registers_after=None)
    scene.run()
    abort(scene.cluster)
    line = printed(scene, go_on(scene).run())
    assert line.startswith(f"mend the node, then: bridgehead rollback {REF} --context c; give up")
    del scene.cluster.drifted["b2"]
    scene.cluster.pod_of("b2").version = GOOD
    ending = typed(scene, commands(line)[0])
    assert ending is not None
    assert ending.exit == 3
    assert scene.cluster.leftovers == []


MIXED = Left(
    component=None,
    nodes=(),
    pods=(),
    differing=(OfRevision("a1", "plugin-x", "h2", 2),),
    agreeing=(OfRevision("a2", "plugin-y", "h1", 1), OfRevision("b1", "plugin-z", "h1", 1)),
)


def test_mixed_pods_that_no_run_goes_on_with_are_deleted_by_name_in_either_direction() -> None:
    ref = ComponentRef(ComponentKind.DAEMON_SET, "plugins", "plugin")
    at = "-n plugins --context c"
    assert after_mixed(MIXED, ref, " --context c --state-namespace s") == (
        f"the template that stands: kubectl delete pod plugin-x {at}"
        f" && bridgehead release {REF} --context c --state-namespace s; "
        f"or revision 2: kubectl rollout undo ds/plugin --to-revision=2 {at}"
        f" && kubectl delete pod plugin-y plugin-z {at}"
        f" && bridgehead release {REF} --context c --state-namespace s"
    )


def test_mixed_pods_of_an_open_run_are_left_to_it() -> None:
    ref = ComponentRef(ComponentKind.DAEMON_SET, "plugins", "plugin")
    left = msgspec.structs.replace(MIXED, goes_on=Mode.FORWARD)
    assert after_mixed(left, ref, "") == (
        f"go on: bridgehead resume {REF}; take all back: bridgehead rollback {REF}"
    )
