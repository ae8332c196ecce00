"""Whether a name is one of something secret: of a variable, an option, a header, a key, a field.

One judgement for all of them, by the words of the name: ``DRIVER_LICENSE_KEY``, ``--private-key``,
``X-Api-Key``, ``dbPassword`` and ``client-key-data`` say the same in different spellings. The last
word says what a name is of: ``secretName`` and ``tokenExpirationSeconds`` are of no secret.
"""

import re
from functools import lru_cache

NAME_MARKS = ("pass", "pwd", "token", "secret", "cred", "auth", "key", "private", "cookie", "sig=")
"""Each name of a secret, in small letters, has one of these; ``sig=`` is of a signed address."""

_BORDER = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+")

_STRONG = re.compile(
    r"pass(word|wd|phrase|code)|token(?!i[zs])|secret|credential|(api|access|private|secret)key"
)
"""Within a word: ``PGPASSWORD`` and ``authtoken`` are one word."""

_ANYWHERE = frozenset({"pwd", "creds", "cred", "cookie"})
_LAST = frozenset({"pass", "auth", "authorization", "private"})
"""Words that many harmless names begin with: ``PASS_DEVICE_SPECS``, ``auth-delegator``."""

_FORMS = frozenset(
    re.findall(
        r"\w+",
        """
        b64 base64 content data hash hex id pem plain string text value
        """,
    )
)
"""Words that say how the secret is written down; the word before them says what it is."""

_ABOUT = frozenset(
    re.findall(
        r"\w+",
        """
        address addr algorithm audience audiences class controller count dir directory enable
        enabled endpoint error errors expiration expires expiry file filename files format
        groups host hostname hours interval issuer kind length limit manager max method min
        minutes mode name names namespace optional path period policy port provider ref
        reference references refs request requests required review reviews role scope scopes
        seconds server size state status timeout ttl type uri url user username version webhook
        """,
    )
)
"""Last words of names that tell about a secret, or where it is, and not what it is."""

_REFERRING = frozenset({"pull", "existing", "checksum"})
"""``imagePullSecrets`` and ``existingSecret`` name Secrets; ``checksum/secret`` is a digest."""

_OPEN_KEYS = frozenset(
    re.findall(
        r"\w+",
        """
        annotation cache config field group index item label map match metadata namespace node
        object partition pod primary public queue resource row selector sort taint toleration
        topology work
        """,
    )
)
"""What a key is of that everybody may see, as in ``topologyKey`` and ``matchLabelKeys``."""


@lru_cache(maxsize=16384)
def secret_name(name: str) -> bool:
    """Whether the value under this name is a secret; of a name with a domain, its last part."""
    words = [word.lower().rstrip("0123456789") for word in _BORDER.split(name) if word]
    if not words or len(name) > 200 or _REFERRING.intersection(words):
        return False
    last = words[-1]
    if last in _ABOUT:
        return False
    if any(map(_STRONG.search, words)) or _ANYWHERE.intersection(words):
        return True
    return _by_its_end(name.rpartition("/")[2])


def _by_its_end(name: str) -> bool:
    words = [word.lower() for word in _BORDER.split(name) if word]
    while len(words) > 1 and (words[-1] in _FORMS or words[-1].isdecimal()):
        words.pop()
    if not words:
        return False
    last = words[-1].rstrip("0123456789")
    if last in ("key", "keys"):
        return len(words) > 1 and words[-2] not in _OPEN_KEYS
    return last in _LAST
