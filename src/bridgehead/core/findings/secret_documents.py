"""Secrets in a text of several lines: what a configuration file, a manifest or a script says.

Here a value goes to the end of its line and, as a block, a list or a folded text, over the deeper
lines after it. The number of lines stays. Formats are not told apart: what YAML, TOML, INI and
properties have in common is read.
"""

import re

from bridgehead.core.findings.secret_names import secret_name
from bridgehead.core.findings.secret_values import REDACTED, harmless, replaced

_ENTRY = re.compile(
    r"(?P<lead>[ \t]*(?:-[ \t]+)*)(?P<quote>[\"']?)(?P<name>[\w./-]+)(?P=quote)"
    r"(?P<sep>[ \t]*(?::(?=[ \t\r]|\Z)|=)[ \t]*)(?P<value>.*)"
)
_SECRET = re.compile(r"^[ \t-]*[\"']?kind[\"']?:[ \t]*[\"']?Secret\b", re.MULTILINE)
_BLOCK = re.compile(r"[|>][+-]?\d?[+-]?\s*(#.*)?")
_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)*")
HOLDING = frozenset({"value", "data", "content", "plain", "plaintext", "raw", "text"})
"""Keys below a secret's name that hold the secret itself."""


def redacted_document(value: str) -> str:
    """A text of several lines without the values of secrets that its lines name."""
    return "\n".join(_Reader(manifest=_SECRET.search(value) is not None).lines(value.split("\n")))


class _Reader:
    """Goes from line to line and knows in what it is."""

    def __init__(self, *, manifest: bool) -> None:
        """``manifest``: of a Secret is spoken, whose ``data`` is secret whatever its keys."""
        self._manifest = manifest
        self._value: int | None = None
        """Depth of a key whose value goes on below it."""
        self._named: int | None = None
        """Depth of a secret's key that has its value below it, as a list, a text or an object."""
        self._pair = False
        """Whether the entry of a list that this is within has the name of a secret."""

    def lines(self, lines: list[str]) -> list[str]:
        """As many lines as there were."""
        return [self._line(line) if line.strip() else line for line in lines]

    def _line(self, line: str) -> str:
        lead = _DASHES.match(line)
        depth = len(line) - len(line.lstrip())
        if self._value is not None and depth > self._value:
            return line[:depth] + REDACTED
        self._value = None
        listed = line.lstrip().startswith("- ")
        if (
            self._named is not None
            and depth <= self._named
            and not (depth == self._named and listed)
        ):
            self._named = None
        entry = _ENTRY.fullmatch(line)
        if entry is None:
            if self._named is None or lead is None or line.strip()[0] in "]}":
                return line
            return lead[0] + replaced(line[lead.end() :])
        return self._entry(entry, listed=listed)

    def _entry(self, entry: re.Match[str], *, listed: bool) -> str:
        name, value = entry["name"], entry["value"].strip()
        depth = len(entry["lead"])
        held = self._named is not None and name in HOLDING
        paired = self._pair and name == "value" and not listed
        if listed or name == "name":
            self._pair = name == "name" and secret_name(value.strip("\"'"))
        if self._manifest and name in ("data", "stringData"):
            if not value:
                self._value = depth
                return entry[0]
        elif not (held or paired or secret_name(name)):
            return entry[0]
        return self._secret(entry, value, depth)

    def _secret(self, entry: re.Match[str], value: str, depth: int) -> str:
        if not value or value.startswith("#"):
            self._named = depth
            return entry[0]
        if value[0] in "\"'" and (entry["quote"] == '"' or value.startswith(('"""', "'''"))):
            return entry[0]
        if value[0] in "{[" or harmless(value.rstrip(",")):
            return entry[0]
        if ":" in entry["sep"]:
            self._value = depth
        if _BLOCK.fullmatch(value):
            return entry[0]
        return entry[0][: entry.start("value")] + replaced(value)
