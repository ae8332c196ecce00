"""Secrets in texts of any kind: lines of logs, messages, command lines, configuration files.

They are known by the name before them (``password=...``, ``"apiKey": "..."``, ``token: |``) or by
their own form (keys in PEM, tokens of known makers, credentials in addresses). What refers to a
secret, such as ``$(TOKEN)``, and what says that there is none stay.
"""

import re
from collections.abc import Iterable

from bridgehead.core.findings.secret_documents import redacted_document
from bridgehead.core.findings.secret_names import NAME_MARKS, secret_name
from bridgehead.core.findings.secret_options import redacted_mention
from bridgehead.core.findings.secret_values import REDACTED, reference, replaced

_FORM_MARKS = (
    *("eyJ", "AKIA", "ASIA", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-"),
    *("xox", "nvapi-", "hf_", "AIza", "dckr_pat_", "LS0tLS1CRUdJTi", "hooks.slack.com"),
)
_FORMS = re.compile(
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}"
    r"|\bglpat-[\w-]{16,}|\bxox[a-z]-[\w-]{10,}|\bnvapi-[\w-]{20,}|\bhf_[A-Za-z0-9]{20,}"
    r"|\bAIza[\w-]{30,}|\bdckr_pat_[\w-]{16,}"
    r"|\bLS0tLS1CRUdJTi(?!BDRVJUSUZJQ0FUR)[A-Za-z0-9+/=]+|(?<=hooks\.slack\.com/)services/[\w/]+"
)
"""Tokens by the shape that their makers gave them; the last but one is base64 of a block in PEM."""

_SCHEMES = re.compile(
    r"(?P<key>\b(?:bearer|basic)\s+)(?=[^\s\"']*[0-9=])[A-Za-z0-9+/=._~-]{8,}", re.IGNORECASE
)
_AUTHORIZATION = re.compile(
    r"(?P<key>authorization[\\\"']*\s*[:=]\s*[\\\"']*(?:bearer|basic|token|digest|apikey|negotiate)"
    r"\s+)(?!\(redacted\))[^\s\"'\\]+",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"(?P<key>://(?:[^\s:@/?#\"'<>]*:)?)[^\s/?#\"'<>]+@(?!sha\d+:)")
_DSN = re.compile(r"(?P<key>(?<![\w.-])[\w.-]{1,64}:)[^\s@/\"']{1,200}(?=@(?:tcp|unix)\()")
_PAIR = re.compile(
    r"(?P<key>\bname[\\\"']*\s*[:=]\s*[\\\"']*(?P<name>[\w.-]+)[\\\"']*,?\s+[\\\"']*"
    r"value[\\\"']*\s*[:=]\s*)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"(?<![\w.-])(?P<name>(?:(?:api|access|auth|private|secret) )?[\w.-]++)"
    r"(?P<sep>\\*[\"']?[ \t]*(?::=|==?|:)(?P<space>[ \t]*))",
    re.IGNORECASE,
)
_BARE = r"(?:[^\s\"',;&}\])\\]|\\(?![\"'nrt]))+"
_WORD = re.compile(
    r"(?P<quote>\\+[\"'])[^\n]*?(?:(?P=quote)|(?=\n)|\Z)"
    r"|\"\"\"[\s\S]*?(?:\"\"\"|\Z)|'''[\s\S]*?(?:'''|\Z)"
    r"|(?:\"(?:[^\"\\\n]++|\\.)*+(?:\"|(?=\n)|\Z|\\\Z)|'(?:[^'\\\n]++|\\.)*+(?:'|(?=\n)|\Z|\\\Z))+"
    rf"|{_BARE}(?:[,;&](?![\w.-]+\\*[\"']?[=:]){_BARE})*"
)
"""A value as a shell, a query or a connection string writes it: ``ab&rest`` is one word and
``ab&next=1`` is not."""
_STATED = re.compile(r"(?!/)(?=[^\s\"',;&}\]\\]*[0-9])[^\s\"',;&}\]\\]{12,}")
"""After a colon, which prose uses too: long and with a figure in it."""
_ALONE = re.compile(r"[ \t-]*\Z")
_REST = re.compile(r"(?![|>][-+0-9]{0,2}\s)[^\s\"'\\]+[ \t]*(?=\n|\Z)")
_PHRASE = re.compile(r"(?![|>][-+0-9]{0,2}\s)[^\s\"'#][^\n]*")
"""What stands alone behind a name at the beginning of a line, and is not the mark of a block."""
_PASSWORD = re.compile(r"pass(word|wd|phrase)\Z", re.IGNORECASE)

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]+-----")
_END = re.compile(r"-----END [A-Z0-9 ]+-----")
_BODY = re.compile(r"\s*([A-Za-z0-9+/=]*|(Proc-Type|DEK-Info): .*|\(redacted\))\s*", re.IGNORECASE)
"""A line inside of a block: a log that was cut may lack the block's end."""
_QUOTED_BODY = re.compile(r"[A-Za-z0-9+/=]+(?=[\\\"'])")
_RUN = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
_BLOCK = re.compile(r"(-----BEGIN [A-Z0-9 ]+-----).*?(-----END [A-Z0-9 ]+-----|\Z)", re.DOTALL)


def marked(value: str) -> bool:
    """Whether a text holds anything that might be removed: most texts do not."""
    small = value.lower()
    return (
        any(mark in small for mark in NAME_MARKS)
        or "://" in value
        or "@" in value
        or "-----BEGIN" in value
        or "bearer" in small
        or "basic" in small
        or any(mark in value for mark in _FORM_MARKS)
    )


def redacted_phrase(value: str) -> str:
    """A text that is no JSON without what may be secret in it."""
    if not marked(value):
        return value
    if "-----BEGIN" in value:
        value = _BLOCK.sub(rf"\1{REDACTED}\2", value)
    small = value.lower()
    if "bearer" in small or "basic" in small:
        value = _SCHEMES.sub(rf"\g<key>{REDACTED}", value)
    if "authorization" in small:
        value = _AUTHORIZATION.sub(rf"\g<key>{REDACTED}", value)
    if "@" in value:
        if "://" in value:
            value = _ADDRESS.sub(rf"\g<key>{REDACTED}@", value)
        if "@tcp(" in value or "@unix(" in value:
            value = _DSN.sub(rf"\g<key>{REDACTED}", value)
    if any(mark in value for mark in _FORM_MARKS):
        value = _FORMS.sub(REDACTED, value)
    if any(mark in small for mark in NAME_MARKS):
        if "\n" in value:
            value = redacted_document(value)
        value = _assigned(value)
        if "--" in value:
            value = redacted_mention(value)
    return value


def _assigned(value: str) -> str:
    """Without the values that follow names of secrets."""
    if "=" not in value and ":" not in value:
        return value
    found: list[str] = []
    end = 0
    for start, stop in _values(value):
        if start >= end:
            found += (value[end:start], replaced(value[start:stop]))
            end = stop
    found.append(value[end:])
    return "".join(found)


def _values(value: str) -> Iterable[tuple[int, int]]:
    """Where values of secrets begin and end, from left to right."""
    places: list[tuple[int, int]] = []
    if "alue" in value:
        for pair in _PAIR.finditer(value):
            word = _WORD.match(value, pair.end())
            if word and secret_name(pair["name"]) and not reference(value, pair.end()):
                places.append(word.span())
    end = 0
    for named in _NAMED.finditer(value):
        if named.start() < end:
            continue
        queried = value[named.start() - 1 : named.start()] in ("?", "&")
        if secret_name(named["name"]) or (queried and named["name"].lower() in _QUERIED):
            stop = _end_of_value(value, named)
            if stop > named.end():
                places.append((named.end(), stop))
                end = stop
    return sorted(places)


_QUERIED = frozenset({"sig", "key", "x-amz-signature", "signature"})
"""Parameters of an address that are secret there, and elsewhere are not."""


def _end_of_value(value: str, named: re.Match[str]) -> int:
    """Where the value behind a name ends; at its beginning if it is none."""
    at = named.end()
    if reference(value, at):
        return at
    word = _WORD.match(value, at)
    if "=" in named["sep"] or (word and value[at] in "\"'\\"):
        return word.end() if word else at
    line = value.rfind("\n", 0, named.start()) + 1
    before = value[line : named.start()]
    if _ALONE.match(before) and named["space"]:
        whole = _PHRASE if _PASSWORD.search(named["name"]) else _REST
        if alone := whole.match(value, at):
            return alone.end()
    if word and _in_a_dump(before, named["space"], value[at]):
        return word.end()
    stated = _STATED.match(value, at)
    return stated.end() if stated else at


def _in_a_dump(before: str, space: str, first: str) -> bool:
    """Within braces, as YAML writes ``{token: abc}`` and Go ``{Token:abc}``, ``map[token:abc]``."""
    if first in "[{*<(&" or not ("{" in before or "map[" in before):
        return False
    return before.rstrip()[-1:] in ("{", ",") if space else before[-1:] in ("{", "[", " ", ",")


def redacted_blocks(lines: list[str]) -> list[str]:
    """Lines without the keys in PEM that go over several, each behind a log's own prefix."""
    found: list[str] = []
    prefix: str | None = None
    for line in lines:
        if prefix is not None:
            body = _without_body(prefix, line)
            if body is not None:
                found.append(body)
                continue
        begins = _BEGIN.search(line)
        ended = begins is None or _END.search(line, begins.end())
        prefix = None if begins is None or ended else line[: begins.start()]
        found.append(line)
    return found


def _without_body(prefix: str, line: str) -> str | None:
    """A line of a block without its key; None if it is no such line.

    A logger's prefix changes with the time, and has as many words on each line.
    """
    if _END.search(line):
        return None
    words = line.split(None, len(prefix.split()))
    rest = words[-1] if len(words) > len(prefix.split()) else ""
    glued = prefix.rsplit(maxsplit=1)[-1] if prefix and not prefix[-1].isspace() else ""
    if glued:
        words = line.split(None, len(prefix.split()) - 1)
        rest = words[-1].removeprefix(glued) if words else ""
    if rest and _BODY.fullmatch(rest):
        return line[: line.rindex(rest)] + REDACTED if prefix else REDACTED
    if not prefix and _BODY.fullmatch(line):
        return REDACTED
    if glued and (quoted := _QUOTED_BODY.match(rest)):
        return line.replace(quoted[0], REDACTED, 1)
    return _RUN.sub(REDACTED, line) if _RUN.search(line) else None
