"""A rule's card: its module's docstring, in four parts that every reference and report shows.

The fault in one line.

Finds: what is looked at, and when the rule fires.

Why: what happens to devices and pods where it is ignored.

Sure: how to tell it from its look-alikes, with a command where there is one.

Do: the smallest change that mends it.
"""

import re

import msgspec

_PARTS = ("Finds", "Why", "Sure", "Do")


class CardError(ValueError):
    """A docstring that is no card: our own mistake, found by a test."""


class Card(msgspec.Struct, frozen=True):
    """The parts of a card, each one paragraph of plain text."""

    title: str
    finds: str
    why: str
    sure: str
    do: str


def card_of(docstring: str | None) -> Card:
    """The card in a docstring; raises CardError."""
    if not docstring:
        raise CardError("there is no docstring")
    title, *paragraphs = re.split(r"\n\s*\n", docstring.strip())
    found = {}
    for paragraph in paragraphs:
        name, colon, body = paragraph.partition(":")
        if colon and name in _PARTS:
            found[name] = " ".join(body.split())
    missing = [name for name in _PARTS if not found.get(name)]
    if missing:
        raise CardError(f"the card has no {', '.join(missing)}")
    return Card(" ".join(title.split()), *(found[name] for name in _PARTS))
