"""``bridgehead explain``: what a rule finds, why it matters, how to be sure, what to do.

Rungs of the recovery ladder have cards, too: a diagnosis names them beside what to do.
"""

import difflib

import click

from bridgehead.cli.exits import Exit
from bridgehead.cli.options import output_option
from bridgehead.cli.say import next_step, say, show

_ALL = "all rules: bridgehead explain"


@click.command(epilog="Example:  bridgehead explain surge-on-device-plugin")
@click.argument("rule", required=False)
@output_option("text", "json")
def explain(rule: str | None, output: str) -> Exit:
    """Show a rule's card: what it finds, why it matters, how to be sure, what to do.

    RULE is the name that a finding or a cause carries, or a former one; or a rung of recovery such
    as R1. Without it all rules are listed. Exit 2 for a name that no rule has.
    """
    # All rules and their cards: help must not wait for them.
    from bridgehead.report.card import SCHEMA, cards_text, names_text, rules_json  # noqa: PLC0415
    from bridgehead.report.inventory import pretty_json  # noqa: PLC0415
    from bridgehead.report.rung_card import rung_json, rung_named, rung_text  # noqa: PLC0415
    from bridgehead.rules.catalogue import EVERY, rule_named  # noqa: PLC0415

    rung = rung_named(rule) if rule is not None else None
    if rung is not None:
        data = {"schema": SCHEMA, "unread": [], "rules": [], "rungs": [rung_json(rung)]}
        show(pretty_json(data) if output == "json" else rung_text(rung))
        next_step(f"bridgehead recover COMPONENT --node NODE --rung {rung.value}")
        return Exit.DONE
    if rule is not None and _runbook(rule, output):
        return Exit.DONE
    found = EVERY if rule is None else rule_named(rule.strip().lower())
    if not found:
        say(f"error: there is no rule {rule}")
        next_step(_nearest(str(rule), [item.name for item in EVERY]))
        return Exit.USAGE
    if output == "json":
        show(rules_json(found))
    else:
        show(names_text(found) if rule is None else cards_text(found))
    next_step("one of them: bridgehead explain RULE" if rule is None else _ALL)
    return Exit.DONE


def _runbook(word: str, output: str) -> bool:
    """Show what the word means that a diagnosis has in the place of a rung, if it is that."""
    from bridgehead.report.card import SCHEMA  # noqa: PLC0415
    from bridgehead.report.inventory import pretty_json  # noqa: PLC0415
    from bridgehead.report.rung_card import is_runbook, runbook_json, runbook_text  # noqa: PLC0415

    if not is_runbook(word):
        return False
    data = {"schema": SCHEMA, "unread": [], "rules": [], "rungs": [runbook_json()]}
    show(pretty_json(data) if output == "json" else runbook_text())
    next_step("bridgehead recover COMPONENT --node NODE")
    return True


def _nearest(name: str, names: list[str]) -> str:
    """The command with the nearest names; that of all where none is near."""
    written = name.strip().lower().replace("_", "-").replace(" ", "-")
    near = difflib.get_close_matches(written, names, n=3, cutoff=0.55)
    near += [item for item in names if written and written in item and item not in near]
    if not near:
        return _ALL
    return "; ".join(f"a near name: bridgehead explain {item}" for item in near[:3])
