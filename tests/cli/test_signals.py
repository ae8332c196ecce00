"""What signals do to a runner: both of them are answered, and the second one says what is left."""

import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from bridgehead.app.loop import Stopped
from bridgehead.cli.endings import stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.progress import Progress
from bridgehead.core.rollout.commands import Position
from bridgehead.core.rollout.decision import Decision
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode, NodeState, RunState
from bridgehead.report.left_behind import left_behind
from tests.core.rollout.scenes import Scene
from tests.core.standin.plans import plan_of

PROGRAM = """
import asyncio, os, signal, sys
from bridgehead.cli import main, signals

class Told:
    def first(self): print("first", flush=True)
    def second(self): print("second", flush=True)

async def go(numbers):
    with signals.stop_on_signals(Told()) as stop:
        for number in numbers:
            os.kill(os.getpid(), number)
            await stop.event.wait()
        if len(numbers) > 1:
            await asyncio.sleep(60)  # the second signal ends it
        return stop.exit

def command(*args, **more):
    return asyncio.run(go([int(word) for word in sys.argv[1:]]))

main.bridgehead.main = command
sys.exit(main.run([]))
"""


@pytest.mark.parametrize(
    ("numbers", "code", "said"),
    [
        (("2",), Exit.INTERRUPTED, ["first"]),
        (("15",), Exit.TERMINATED, ["first"]),
        (("2", "2"), Exit.INTERRUPTED, ["first", "second"]),
        (("2", "15"), Exit.TERMINATED, ["first", "second"]),
    ],
)
def test_every_signal_is_answered_and_the_second_one_ends_it(
    tmp_path: Path, numbers: tuple[str, ...], code: Exit, said: list[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    found = subprocess.run(
        [sys.executable, str(program), *numbers], capture_output=True, text=True, check=False
    )
    assert (found.returncode, found.stdout.split()) == (code, said), found.stderr


def held(*names: str, template: Position = Position.FORMER) -> Run:
    nodes = {name: NodeState(name=name, held=True) for name in names}
    state = RunState(mode=Mode.BACK, nodes=nodes, taken_over=True, template=template)
    return Run(name="gpu-1", plan=plan_of(("a1", "a2")), state=state)


def test_nodes_that_stay_cordoned_and_the_journals_head_are_named(
    capsys: pytest.CaptureFixture[str],
) -> None:
    stopping = Stopped(parked=True, left=held("a2", "a1"), head="sha256:1")
    assert stopped(stopping, Exit.INTERRUPTED, "text", "again") is Exit.INTERRUPTED
    told = capsys.readouterr().err
    assert "the former template stands; still cordoned until somebody goes on: a1, a2" in told
    assert "journal of run gpu-1: sha256:1" in told
    assert told.endswith("next: again\n")


def test_they_are_data_too(capsys: pytest.CaptureFixture[str]) -> None:
    stopping = Stopped(parked=True, left=held("a1"), head="sha256:1")
    stopped(stopping, Exit.INTERRUPTED, "json", "again")
    told = msgspec.json.decode(capsys.readouterr().out)
    assert (told["exit"], told["cordoned"], told["run"]) == (130, ["a1"], "gpu-1")
    assert (told["parked"], told["journalHead"]) == (True, "sha256:1")


def test_a_target_that_stands_is_told() -> None:
    told = left_behind(held(template=Position.TARGET))
    assert told.startswith("the NEW template stands")
    assert told.endswith("no node is cordoned")


def test_what_was_written_since_the_last_look_is_known_to_whoever_leaves_at_once() -> None:
    scene = Scene()
    with Progress(sys.stderr) as progress:
        progress.look(scene.runner.run_value, scene.cluster.world(), Decision())
        before = progress.run
        scene.runner.until(lambda it: it.steps_text[-1] == "cordon a1 done")
        for entry in scene.journal:
            progress.tell(entry)
        after = progress.run
    assert before is None
    assert after is not None
    assert left_behind(after).endswith("still cordoned until somebody goes on: a1")
