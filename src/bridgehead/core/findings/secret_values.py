"""What stands in the place of a secret, and what is none though it stands in the place of one."""

import re

REDACTED = "(redacted)"

_REFERENCE = re.compile(
    r"(?P<quote>\\*[\"']?)(?:\$\(\w+\)|\$\{[\w.:-]+\}|\{\{[^{}\n]*\}\}|<nil>|nil|null|none|true|false|"
    r"yes|no|on|off|\(redacted\))(?P=quote)(?![^\s\"',;&}\])\\])"
    r"|(?P<empty>\\*[\"'])(?P=empty)(?![^\s,;&}\])\\])|(?![^\s,;&}\])])",
    re.IGNORECASE,
)
"""Another place's name, nothing, a switch, or what was redacted before."""


def reference(value: str, at: int = 0) -> bool:
    """Whether there is, from a place on, only a word that can be no secret."""
    return _REFERENCE.match(value, at) is not None


def harmless(value: str) -> bool:
    """Whether a whole text can be no secret whatever its name."""
    return _REFERENCE.fullmatch(value.strip()) is not None


def replaced(value: str) -> str:
    """What is written for a value; its quotes stay, so that what was JSON or YAML still is."""
    for quote in ('"""', "'''"):
        if value.startswith(quote):
            return f"{quote[0]}{REDACTED}{quote[0]}"
    escapes = len(value) - len(value.lstrip("\\"))
    quote = value[: escapes + 1]
    return f"{quote}{REDACTED}{quote}" if quote[-1:] in ('"', "'") else REDACTED
