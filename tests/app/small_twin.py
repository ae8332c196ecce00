"""A twin of three nodes whose new version can be made bad."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import msgspec

from bridgehead.app.rehearse_stage import Stage, staged
from bridgehead.app.rollout import Options, rollout
from bridgehead.app.runner import Ended
from bridgehead.core.plan.settings import VerifySettings
from bridgehead.twin.faults.text import parse_fault
from bridgehead.twin.seeding.generic import IMAGE, generic_seed
from bridgehead.twin.virtual.loop import run_virtual
from tests.app.test_rehearse_state import AT, SPEC
from tests.cluster.use_cases import Nobody

T = TypeVar("T")
BAD = "registry.example/device-plugin:1.1.0"
QUICK = msgspec.structs.replace(
    SPEC, verify=VerifySettings(settle=20.0, status_period=10.0, timeout=120.0)
)


def on_a_twin(work: Callable[[Stage], Awaitable[T]]) -> T:
    """The result of some work on a twin of three nodes."""

    async def play() -> T:
        seed = generic_seed(3, at=AT, pods_per_node=2)
        async with staged(seed, QUICK, chance=1, watcher=Nobody()) as stage:
            return await work(stage)

    return run_virtual(play(), start=AT)


def break_image(stage: Stage, fault: str, image: str = IMAGE) -> None:
    """From now on containers of the image are bad."""
    stage.begin(parse_fault(fault), {image}, lambda _: ())


async def fail(stage: Stage, fault: str = "initFailure=exit", *, explains: bool = True) -> Ended:
    """A rollout to a version with this fault, to its ending."""
    break_image(stage, fault, BAD)
    session = msgspec.structs.replace(stage.session, explains_failures=explains)
    ended = await rollout(session, QUICK, "", Options())
    assert isinstance(ended, Ended)
    return ended
