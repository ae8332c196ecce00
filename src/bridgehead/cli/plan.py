"""``bridgehead plan``: which nodes would change when, and what would stop it."""

from pathlib import Path

import click

from bridgehead.app.planning import Planned, plan_live, plan_recorded
from bridgehead.app.recorded import read_recorded
from bridgehead.cli.exits import Exit
from bridgehead.cli.inventory import incomplete
from bridgehead.cli.options import StateOptions, output_option, state_options
from bridgehead.cli.say import next_step, say, show
from bridgehead.cli.sessions import client
from bridgehead.cli.spec_file import read_spec_or_tell, spec_option
from bridgehead.cli.surroundings import here, run_here
from bridgehead.core.model.problem import problems_text
from bridgehead.core.plan.plan import Plan, Refused, Unneeded
from bridgehead.core.plan.settings import RolloutSpec
from bridgehead.report.inventory import pretty_json
from bridgehead.report.plan_json import plan_json
from bridgehead.report.plan_text import plan_text, refused_text


@click.command(epilog="Example:  bridgehead plan -f bridgehead.yaml")
@spec_option
@state_options
@output_option("text", "json")
@click.option("--detach", is_flag=True, help="Plan even where Helm, GitOps or an operator owns it.")
def plan(path: Path, state: StateOptions, output: str, detach: bool) -> Exit:
    """Show the plan of a change: cohorts, canaries, waves, gates. Changes nothing.

    Exit 1 if the plan refuses, 8 if something that it needs could not be read.
    """
    accepted = read_spec_or_tell(path)
    if isinstance(accepted, Exit):
        return accepted
    planned = _planned(accepted.spec, state, detach=detach)
    return show_planned(planned, output, f"bridgehead rollout -f {path}{state.as_arguments}")


def show_planned(planned: Planned, output: str, go_on: str) -> Exit:
    """Print a plan or its refusal; the exit code. ``go_on`` is the command that follows a plan."""
    result = planned.result
    if output == "json":
        show(pretty_json(plan_json(result, planned.unread)))
    else:
        show(planned_text(result))
    if isinstance(result, Refused) and (result.refusals or not planned.unread):
        next_step("mend what is refused, then the same command again")
        return Exit.FINDINGS
    if planned.unread:
        return incomplete(planned.unread)
    next_step(go_on if isinstance(result, Plan) else "nothing: it is as the spec asks")
    return Exit.DONE


def planned_text(result: Plan | Refused | Unneeded) -> str:
    """The page of a plan, or why there is none."""
    match result:
        case Plan():
            return plan_text(result)
        case Refused():
            return refused_text(result)
        case Unneeded():
            return f"Nothing to change: {result.reason}."


def _planned(spec: RolloutSpec, state: StateOptions, *, detach: bool) -> Planned:
    if state.recording is not None:
        recorded = read_recorded(state.recording, state.at)
        if recorded.problems:
            say(problems_text(recorded.problems).rstrip())
        return plan_recorded(spec, recorded.snapshot, detach=detach)
    return run_here(_live(spec, state, detach=detach))


async def _live(spec: RolloutSpec, state: StateOptions, *, detach: bool) -> Planned:
    async with client(state.cluster) as kube:
        return await plan_live(kube, spec, now=here().clock(), detach=detach, rehearse=False)
