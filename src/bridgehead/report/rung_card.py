"""Cards of the recovery ladder's rungs, which a diagnosis names in brackets: ``[R1]``."""

import textwrap
from collections.abc import Iterator

from bridgehead.core.model.json import JsonObject
from bridgehead.core.recover.ladder import LADDER
from bridgehead.core.recover.rung import AUTOMATIC, Rung

PAGE = "docs/recover.md"
"""Where every precondition stands."""
RUNBOOK = "runbook"
"""Stands in the place of a rung beside what a person does by hand."""
_RUNBOOK_TITLE = "what only a person does"
_WIDTH = 96
_ASKS = "bridgehead recover COMPONENT --node NODE"


def rung_named(name: str) -> Rung | None:
    """The rung of that name, however it is written; None where there is none."""
    return next((rung for rung in Rung if rung.value.lower() == name.strip().lower()), None)


def rung_text(rung: Rung) -> str:
    """What it does, who does it, and which causes ask for it."""
    lines = [f"{rung.value}: {rung.title} (a rung of the recovery ladder)"]
    for name, body in (("Done by", _done_by(rung)), ("Causes", _causes(rung)), ("Do", _do(rung))):
        lines += ["", *_wrapped(f"{name}: {body}")]
    return "\n".join(lines)


def rung_json(rung: Rung) -> JsonObject:
    """The same for programs."""
    return {
        "name": rung.value,
        "title": rung.title,
        "byHand": rung.by_hand,
        "automatic": rung in AUTOMATIC,
        "causes": _rules(rung),
        "page": PAGE,
    }


def is_runbook(name: str) -> bool:
    """Whether the word for steps without a rung is meant, however it is written."""
    return name.strip().lower() == RUNBOOK


def runbook_text() -> str:
    """What that word means where a diagnosis shows it."""
    by_hand = ", ".join(rung.value for rung in Rung if rung.by_hand)
    paragraphs = (
        "Done by: a person. The steps and commands that stand beside it are all that the tool has "
        "to say: it does none of them by itself.",
        "Do: read the cause's evidence and what would refute it, then follow the steps in their "
        f"order. {by_hand} are rungs with cards of their own. More is in {PAGE}.",
    )
    lines = [f"{RUNBOOK}: {_RUNBOOK_TITLE} (no rung of the recovery ladder)"]
    for paragraph in paragraphs:
        lines += ["", *_wrapped(paragraph)]
    return "\n".join(lines)


def runbook_json() -> JsonObject:
    """The same for programs, in the form of a rung's card."""
    return {
        "name": RUNBOOK,
        "title": _RUNBOOK_TITLE,
        "byHand": True,
        "automatic": False,
        "causes": [],
        "page": PAGE,
    }


def _done_by(rung: Rung) -> str:
    if rung.by_hand:
        return "a person, after the runbook that is printed; or your own --command, with --yes"
    if rung is Rung.WAIT:
        return "recover --yes, which only reads then"
    if rung is Rung.DEAD_NAME:
        return "recover --yes --rung R5, and by nothing else"
    if rung is Rung.ROLL_BACK:
        return "recover --yes, after a run that has stopped on a failure"
    return f"recover --yes; a rollout only where its spec has allow.recover: {rung.value} or more"


def _causes(rung: Rung) -> str:
    return ", ".join(_rules(rung)) or "none asks for it by itself"


def _rules(rung: Rung) -> list[str]:
    return sorted(rule for rule, fit in LADDER.items() if rung in fit.rungs)


def _do(rung: Rung) -> str:
    return (
        f"{_ASKS} --rung {rung.value} says what must hold for it and what it would do, and changes "
        f"nothing without --yes. All preconditions are in {PAGE}."
    )


def _wrapped(paragraph: str) -> Iterator[str]:
    yield from textwrap.wrap(
        paragraph,
        _WIDTH,
        initial_indent="  ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )
