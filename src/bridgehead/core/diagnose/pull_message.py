"""Why an image was not pulled, by the words of registries and container runtimes.

Runtimes repeat the registry's answer: codes of the OCI distribution specification
(https://github.com/opencontainers/distribution-spec/blob/main/spec.md#error-codes), errors of Go's
network packages, and those of containerd 2 (core/remotes/docker, core/images).
"""

import re
from collections.abc import Sequence
from enum import Enum

from bridgehead.core.journal.entry import Evidence

OF_ARCHITECTURE = r"no match(ing)? (for platform in )?manifest|exec format error"
"""containerd: no match for platform in manifest; Docker: no matching manifest for linux/arm64."""


class PullFailure(Enum):
    """Classes of failures, in words."""

    NOT_FOUND = "the registry does not have it"
    REFUSED = "the registry refuses the node's credentials"
    LIMITED = "the registry limits how much is pulled"
    UNREACHABLE = "the registry does not answer the node"
    NO_ROOM = "the node has no room for it"
    NAME = "this is no valid name of an image"
    NEVER = "it is not on the node, and the pull policy is Never"
    UNKNOWN = "the message says no more"


# An answer of "not found" from a registry that hides private images comes with words of refusal:
# those are looked for first.
_WORDS = (
    (r"InvalidImageName|invalid reference format|couldn't parse image", PullFailure.NAME),
    (r"ErrImageNeverPull|pull policy of Never", PullFailure.NEVER),
    (r"toomanyrequests|429 Too Many Requests|rate limit", PullFailure.LIMITED),
    (
        r"unauthorized|authentication required|access denied|access forbidden|403 Forbidden"
        r"|no basic auth credentials|insufficient_scope|authorization failed|401 Unauthorized"
        r"|denied: ",
        PullFailure.REFUSED,
    ),
    (r"no space left on device", PullFailure.NO_ROOM),
    (
        r"manifest unknown|not found|repository does not exist|name unknown|NAME_UNKNOWN"
        r"|MANIFEST_UNKNOWN|(status|code):? 404\b",
        PullFailure.NOT_FOUND,
    ),
    (
        r"i/o timeout|no such host|connection refused|connection reset|no route to host|x509:"
        r"|TLS handshake timeout|deadline exceeded|server misbehaving|proxyconnect|: EOF"
        r"|network is unreachable|50[0-9] (Internal|Bad|Service|Gateway)",
        PullFailure.UNREACHABLE,
    ),
)


def pull_failure(said: Sequence[Evidence]) -> tuple[PullFailure, Evidence]:
    """The class, and the message that tells it; the first message where none does."""
    for item in said:
        for pattern, failure in _WORDS:
            # "no such host" and "i/o timeout" may stand beside the name of an image that holds
            # any word; the first that matches in the order above is still the most telling.
            if re.search(pattern, item.text, re.IGNORECASE):
                return failure, item
    return PullFailure.UNKNOWN, said[0] if said else Evidence("status", "waits for its image")
