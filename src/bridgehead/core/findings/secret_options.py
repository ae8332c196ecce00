"""Secrets on a command line: behind an equals sign, as the word after their option, in a script."""

import re

from bridgehead.core.findings.secret_names import secret_name
from bridgehead.core.findings.secret_values import REDACTED, harmless

_OPTION = re.compile(r"--?[\w.-]+")
_IN_A_LINE = re.compile(
    r"(?<![\w-])(?P<name>--?[\w.-]*\w)\s+(?!-)(?P<value>\"[^\"]*\"|'[^']*'|[^\s\"',;&}\]]+)"
)
_USER = re.compile(r"(?P<key>(?<!\S)(?:-u|--user)[ =]+[\"']?[^\s:\"']+:)[^\s\"']+")
_FIGURE = re.compile(r"[0-9]")


def redacted_word(before: str, word: str) -> str:
    """A word of a command line, which stands after another."""
    name, equals, value = word.partition("=")
    if word[:1] == "-":
        secret = equals and _OPTION.fullmatch(name) and secret_name(name) and not harmless(value)
        return f"{name}={REDACTED}" if secret else word
    follows = before[:1] == "-" and _OPTION.fullmatch(before) and secret_name(before)
    return REDACTED if follows and not harmless(word) else word


def redacted_script(line: str) -> str:
    """A line for a shell without what follows options of secrets."""
    return _USER.sub(rf"\g<key>{REDACTED}", _IN_A_LINE.sub(_without_value, line))


def redacted_mention(line: str) -> str:
    """A line of prose that may quote a command: a word with a figure after an option is a value."""
    return _IN_A_LINE.sub(lambda found: _without_value(found, prose=True), line)


def _without_value(found: re.Match[str], *, prose: bool = False) -> str:
    value = found["value"]
    if not secret_name(found["name"]) or harmless(value) or (prose and not _FIGURE.search(value)):
        return found[0]
    return found[0][: found.start("value") - found.start()] + REDACTED
