"""What a registry asks for before it answers (RFC 7235; token authentication of the distribution
project, https://distribution.github.io/distribution/spec/auth/token/).
"""

import re
from collections.abc import Mapping

import msgspec

_PARAMETER = re.compile(r'([A-Za-z_]+)="([^"]*)"')


class Challenge(msgspec.Struct, frozen=True):
    """A ``WWW-Authenticate`` header: its scheme in lower case, and its parameters."""

    scheme: str
    parameters: Mapping[str, str]


def challenge_of(header: str) -> Challenge:
    """Read the header; parameters that are not quoted are left out."""
    scheme, _, rest = header.strip().partition(" ")
    return Challenge(
        scheme.lower(), {key.lower(): value for key, value in _PARAMETER.findall(rest)}
    )
