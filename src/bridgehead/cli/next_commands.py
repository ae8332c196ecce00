"""The next command after an ending, by what the run waits for."""

from bridgehead.app.runner import Ended
from bridgehead.cli.exits import Exit
from bridgehead.cli.ways import after_foreign_change, by_its_name, either_way, once_mended
from bridgehead.core.rollout.approvals import open_points
from bridgehead.core.rollout.resuming import FAILED
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import Mode


def next_command(result: Ended, again: str, where: str) -> str:
    """What to do next: one line. ``again`` is the command that was given."""
    match Exit(result.ending.exit):
        case Exit.DONE:
            return f"bridgehead verify {result.run.plan.spec.component}{where}"
        case Exit.NEEDS_A_PERSON if not result.ending.over:
            return _by_its_name(_for_a_person(result, where), result.run)
        case Exit.WAITING:
            return _after_waiting(result.run, again, where)
        case _:
            return f"bridgehead journal {result.run.name}{where}"


def _for_a_person(result: Ended, where: str) -> str:
    """What is to be decided, or mended first; each part of it is a command as it stands."""
    ref, ending = result.run.plan.spec.component, result.ending
    if ending.given_up:
        return f"bridgehead release {ref}{where}"
    failed = failed_nodes(result.run)
    if ending.stray is not None and (ending.stray.in_the_way or not failed):
        return after_foreign_change(ref, ending.stray, result.run.state.mode, where)
    if failed:
        return ways_on(result.run, where, rollback_helps=ending.rollback_helps)
    if ending.rollback_helps is False:
        return f"mend the node, then: {once_mended(ref, result.run.state.mode, where)}"
    return either_way(ref, result.run.state.mode, where)


def _by_its_name(ways: str, run: Run) -> str:
    spec = run.plan.spec
    return by_its_name(ways, str(spec.component), run.name, spec.undoes)


def ways_on(run: Run, where: str, *, rollback_helps: bool | None = None) -> str:
    """The three ways out of a hold, as commands."""
    names = failed_nodes(run)
    ref = run.plan.spec.component
    without = "".join(f" --without {name}" for name in names)
    retry = "".join(f" --retry {name}" for name in names)
    mended = "mend the node, then: " if rollback_helps is False else "try again: "
    back = f"take all back: bridgehead rollback {ref}{where}"
    ways = (
        f"{mended}bridgehead resume {ref}{retry}{where}; "
        f"go on without: bridgehead resume {ref}{without}{where}; "
        f"{f'give up: bridgehead release {ref}{where}' if rollback_helps is False else back}"
    )
    return _by_its_name(ways, run)


def failed_nodes(run: Run) -> tuple[str, ...]:
    """Nodes of a run that holds of which somebody has to say what is to become of them."""
    if run.state.mode not in {Mode.HOLD, Mode.FORWARD}:
        return ()
    return tuple(item.name for item in run.state.nodes.values() if item.status in FAILED)


def _after_waiting(run: Run, again: str, where: str) -> str:
    ref = run.plan.spec.component
    if run.state.paused is not None:
        return f"bridgehead resume {ref}{where}"
    if open_points(run):
        return f"bridgehead approve {ref}{where}, then: {again}"
    return again
