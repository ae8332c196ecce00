"""Headers that every request of a client carries: who asks, and whom it acts as."""

from multidict import CIMultiDict

from bridgehead.kube.config.values import Impersonation

_TOKEN = frozenset("!#$&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
"""Characters that a header name may hold unescaped (RFC 9110, `token`), without `%`."""


def fixed_headers(user_agent: str, impersonation: Impersonation | None) -> CIMultiDict[str]:
    """Headers that do not change between requests."""
    headers = CIMultiDict({"User-Agent": user_agent})
    if impersonation is None:
        return headers
    headers["Impersonate-User"] = impersonation.user
    if impersonation.uid:
        headers["Impersonate-Uid"] = impersonation.uid
    for group in impersonation.groups:
        headers.add("Impersonate-Group", group)
    for key, values in impersonation.extra:
        for value in values:
            headers.add(f"Impersonate-Extra-{_escaped(key)}", value)
    return headers


def _escaped(key: str) -> str:
    """As client-go writes extra keys (`transport/round_trippers.go`, `headerKeyEscape`)."""
    return "".join(
        character if character in _TOKEN else "".join(f"%{byte:02X}" for byte in character.encode())
        for character in key
    )
