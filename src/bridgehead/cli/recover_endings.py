"""How ``bridgehead recover`` ends: what it explains, what it did, and what to do next."""

from collections.abc import Iterable

import msgspec

from bridgehead.app.recover import Explained, Explanation, Taken
from bridgehead.app.recover_acts import Acted
from bridgehead.app.rollback import NothingToTakeBack
from bridgehead.app.runner import Ended
from bridgehead.cli.endings import as_ended, conclude, not_begun
from bridgehead.cli.exits import Exit
from bridgehead.cli.rollback import is_back
from bridgehead.cli.say import next_step, say, show
from bridgehead.core.model.json import JsonObject
from bridgehead.core.recover.past import without_verdict
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.waiting import BASELINE
from bridgehead.report.inventory import pretty_json
from bridgehead.report.plain import plain_line
from bridgehead.report.recovery import (
    SCHEMA,
    acted_json,
    acted_text,
    choice_json,
    choice_text,
    open_end_json,
    open_end_line,
)


class Typed(msgspec.Struct, frozen=True, kw_only=True):
    """What of the command line an ending repeats: ``again`` is all but the consent."""

    component: str
    resource: str
    rung: Rung | None
    output: str
    again: str
    where: str
    recorded: bool = False
    """Whether it is about a recorded state, to which nothing can be done."""
    baseline: str = ""
    """The option with its value, after a space; it matters to every look at the same nodes."""


def tell(result: Taken, typed: Typed) -> Exit:
    """Tell the result; the exit code."""
    output, where = typed.output, typed.where
    match result:
        case Explanation():
            return _explained(result, typed)
        case Explained():
            return _refused(result, typed)
        case Acted():
            return _acted(result, typed)
        case NothingToTakeBack():
            not_begun(output, Exit.FINDINGS, result.why or f"{result.component} has no open run")
            next_step(f"bridgehead status {result.component}{where}")
            return Exit.FINDINGS
        case _:
            return conclude(result, output, typed.again, where, _of_a_rollback)


def _journal(component: str, typed: Typed) -> str:
    return f"bridgehead journal {component}{typed.where}"


_NOTHING_KNOWN = "no node is known to need recovery, but not everything needed could be read"


def _of_a_rollback(ended: Ended) -> Exit:
    """R2 has done what it was asked for where the former version is back."""
    code = as_ended(ended)
    back = code is Exit.ROLLED_BACK and is_back(ended.run, None)
    return Exit.DONE if back else code


def _explained(result: Explanation, typed: Typed) -> Exit:
    if typed.output == "json":
        show(pretty_json(_explanation_json(result)))
    else:
        for item in result.nodes:
            show(choice_text(item.situation, item.choice, item.tried))
        if not result.nodes:
            show(_NOTHING_KNOWN if result.unread else "no node needs recovery")
        for end in result.open_ends:
            show(open_end_line(end.past, _journal(str(end.component), typed)))
    for missing in result.unread:
        say(plain_line(f"not read: {missing.what}: {missing.why}"))
    next_step(_first_the_grant(result, typed) or _next(result, typed))
    wrong = [item for item in result.nodes if item.situation.faults or item.situation.missing]
    if wrong:
        return Exit.FINDINGS
    return Exit.INCOMPLETE if result.unread else Exit.DONE


def _first_the_grant(result: Explanation, typed: Typed) -> str:
    """Where nothing is known to be wrong, what keeps the rest from being read comes first."""
    grants = {item.grant for item in result.unread if item.grant}
    return _granted(grants, typed.again) if grants and not result.nodes else ""


def _next(result: Explanation, typed: Typed) -> str:
    """The command that does the first thing that can be done."""
    if typed.recorded and result.nodes:
        return _live(result.nodes[0], typed)
    ready = [item for item in result.nodes if item.choice.chosen is not None]
    for item in ready:
        rung = item.choice.chosen.rung if item.choice.chosen else None
        if rung is None:
            continue
        ref, node = item.situation.plugin.component.ref, item.situation.node.name
        named = f" --rung {rung.value}" if typed.rung is not None or rung is Rung.DEAD_NAME else ""
        resource = f" --resource {typed.resource}" if typed.resource else ""
        options = f"{resource}{named}{typed.baseline}"
        does = f"bridgehead recover {ref} --node {node}{options} --yes{typed.where}"
        return _granted((result.grant if rung.writes else "", item.grant), does)
    grants = (result.grant, *map(_only_grant, result.nodes))
    if any(grants):
        return _granted(grants, typed.again)
    if not typed.baseline and _lacks_baseline(result.nodes):
        return f"{typed.again} {BASELINE} FILE"
    if typed.rung is not None and typed.rung.by_hand:
        return f"{typed.again} --yes --command ARGV, or by hand as shown"
    about = f" {typed.component}" if typed.component else ""
    return f"bridgehead diagnose{about}{typed.baseline}{typed.where}"


def _live(item: Explained, typed: Typed) -> str:
    """The same question to the cluster itself, which knows what a recorded state does not."""
    ref, node = item.situation.plugin.component.ref, item.situation.node.name
    resource = f" --resource {typed.resource}" if typed.resource else ""
    rung = f" --rung {typed.rung.value}" if typed.rung is not None else ""
    command = f"bridgehead recover {ref} --node {node}{resource}{rung}{typed.baseline}"
    return f"{command}  # of the live cluster"


def _granted(grants: Iterable[str], command: str) -> str:
    """The command, after what has to be granted for it."""
    named = ", ".join(sorted({item for item in grants if item}))
    return f"grant: {named}; then {command}" if named else command


def _lacks_baseline(nodes: Iterable[Explained]) -> bool:
    """Whether a rung waits for somebody to tell what a node should offer."""
    return any(
        BASELINE in item.evidence
        for node in nodes
        for assessment in node.choice.assessments
        for item in assessment.obstacles
    )


def _explanation_json(result: Explanation) -> JsonObject:
    return {
        "schema": SCHEMA,
        "unread": [msgspec.to_builtins(item) for item in result.unread],
        "nodes": [choice_json(item.situation, item.choice, item.tried) for item in result.nodes],
        "openEnds": [open_end_json(str(item.component), item.past) for item in result.open_ends],
    }


def _only_grant(result: Explained) -> str:
    """The permission for a dry run, where nothing else is in the way of a rung; else empty."""
    tried = result.situation.dry_run
    only = any(
        item.obstacles and all(one.evidence == tried.said for one in item.obstacles)
        for item in result.choice.assessments
    )
    return tried.grant if only else ""


def _has_to_be_named(result: Explained) -> Rung | None:
    """A rung that is ready and was not taken, since consent without its name does not reach it."""
    if result.choice.chosen is not None:
        return None
    ready = (item.rung for item in result.choice.assessments if item.ready and item.names)
    return next(ready, None)


def _refused(result: Explained, typed: Typed) -> Exit:
    """A precondition does not hold: nothing was done."""
    ref = result.situation.plugin.component.ref
    ends = without_verdict(result.situation.past)
    if typed.output == "json":
        unread = result.situation.scene.observed.unread
        body = _explanation_json(Explanation(nodes=(result,), unread=unread))
        show(pretty_json({**body, "openEnds": [open_end_json(ref, item) for item in ends]}))
    else:
        show(choice_text(result.situation, result.choice))
        for end in ends:
            show(open_end_line(end, _journal(ref, typed)))
    wrong = result.situation.faults or result.situation.missing
    sound = "nothing is wrong" + (" as far as was read" if result.situation.undiagnosed else "")
    say("nothing was done" if wrong else f"{sound}; nothing was done")
    if grant := _only_grant(result):
        next_step(f"grant: {grant}; then {typed.again} --yes")
        return Exit.CANNOT
    if typed.rung is None and (named := _has_to_be_named(result)):
        next_step(f"{typed.again} --rung {named.value} --yes")
        return Exit.FINDINGS
    again = f"{typed.again} --yes {BASELINE} FILE"
    lacks = not typed.baseline and _lacks_baseline((result,))
    next_step(again if lacks else f"bridgehead diagnose {ref}{typed.baseline}{typed.where}")
    if wrong or any(item.obstacles for item in result.choice.assessments):
        return Exit.FINDINGS
    return Exit.INCOMPLETE if result.situation.undiagnosed else Exit.DONE


def _acted(result: Acted, typed: Typed) -> Exit:
    where = typed.where
    ref = result.situation.plugin.component.ref
    parts = (result.assessment, result.verified, result.said, result.readings, result.head)
    if typed.output == "json":
        node = result.situation.node.name
        body = {"schema": SCHEMA, "unread": [], "node": node, **acted_json(*parts)}
        show(pretty_json(body))
    else:
        show(acted_text(*parts))
    if result.verified is False and not result.assessment.rung.writes:
        next_step(f"{typed.again}  # what was seen has settled")
        return Exit.FINDINGS
    if result.verified is False:
        next_step(f"bridgehead diagnose {ref}{typed.baseline}{where}")
        return Exit.NEEDS_A_PERSON
    held = result.assessment.rung is Rung.CORDON
    next_step(
        f"when it is repaired: bridgehead release {ref}{where}"
        if held
        else f"bridgehead verify {ref}{where}"
    )
    return Exit.DONE
