"""What may be secret is taken out of objects, events and logs before anybody sees them.

Removed are: values of environment variables (but those that tell how a plugin is set up), what a
Secret holds, kubectl's copy of an object, and in texts of any kind tokens, passwords, credentials
in URLs and PEM blocks. To do it twice is the same as to do it once, so that what was recorded is
read back as it was.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from bridgehead.core.model.json import JsonObject, JsonValue, text

REDACTED = "(redacted)"

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)|token|secret|credential|auth(?!or)|api_?key|private|access_?key",
    re.IGNORECASE,
)
"""Names of variables and keys whose values are never shown, whatever they look like."""

_TELLING_NAME = re.compile(
    r"^(NVIDIA|CUDA|MIG|MPS|GFD|DP|DEVICE|DEVICES|PASS_DEVICE|FAIL_ON|DRIVER|CONFIG|CDI|AMD|ROCM|"
    r"HSA|INTEL|HABANA|SRIOV|RDMA|HAMI|ASCEND|KUBELET|NODE|HOST|POD|NAMESPACE|FAKE|PLUGIN|RESOURCE|"
    r"SOCKET|LD_LIBRARY|WITH|ROOT|RUNTIME|VALIDATOR|OPERATOR|WAIT|LOG|KLOG|GRPC)(_|$)",
    re.IGNORECASE,
)
"""Names of variables by which families of plugins, their drivers and toolkits are set up."""

_PLAIN_VALUE = re.compile(r"(true|false|yes|no|on|off|[0-9]{1,6}(ms|s|m|h)?|)", re.IGNORECASE)
_RESOURCE = re.compile(r"[a-z0-9][-a-z0-9.]*\.[a-z]{2,}/[-A-Za-z0-9_.]+(,[-a-z0-9./A-Z_]+)*")

_NAMED = r"(password|passwd|passphrase|token|secret|api[_-]?key|access[_-]?key|credentials?)"
_ASSIGNED = r"""("[^"]*"|'[^']*'|[^\s"',;&}\]]+)"""
_STATED = r"""("[^"]*"|'[^']*'|(?=[^\s"',;&}\]]*[0-9])[^\s"',;&}\]]{12,})"""
"""After a colon, which prose uses too: something quoted, or long and with a figure in it."""

_MARKS = re.compile(
    r"bearer|basic|pass|token|secret|api.?key|access.?key|credential|://|-----BEGIN|eyJ|AKIA|gh[pousr]_",
    re.IGNORECASE,
)
"""A line without any of these holds nothing that would be removed: most lines are passed here."""

_TEXTS = (
    (re.compile(r"(?P<key>\b(bearer|basic)\s+)[A-Za-z0-9+/=._~-]{8,}", re.IGNORECASE), r"\g<key>"),
    (
        re.compile(r"(?P<key>\b[a-z][a-z0-9+.-]*://[^\s:@/]*:)[^\s@/]+(?=@)", re.IGNORECASE),
        r"\g<key>",
    ),
    (re.compile(rf"(?P<key>\b[\w.-]*{_NAMED}[\"']?\s*=\s*){_ASSIGNED}", re.IGNORECASE), r"\g<key>"),
    (re.compile(rf"(?P<key>\b[\w.-]*{_NAMED}[\"']?\s*:\s*){_STATED}", re.IGNORECASE), r"\g<key>"),
    (
        re.compile(
            r"(?P<key>^[ \t-]*[\w.-]*pass(word|wd|phrase)[ \t]*:[ \t]+)[^\s\"'#][^\n]*",
            re.IGNORECASE | re.MULTILINE,
        ),
        r"\g<key>",
    ),
    (re.compile(r"(?P<key>)\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*"), r"\g<key>"),
    (re.compile(r"(?P<key>)\b(AKIA[0-9A-Z]{16}|gh[pousr]_[A-Za-z0-9]{20,})\b"), r"\g<key>"),
)
_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]+-----")
_END = re.compile(r"-----END [A-Z0-9 ]+-----")
_BODY = re.compile(r"\s*([A-Za-z0-9+/=]*|(Proc-Type|DEK-Info): .*|\(redacted\))\s*", re.IGNORECASE)
"""A line inside of a block: a log that was cut may lack the block's end."""
_BLOCK = re.compile(r"(-----BEGIN [A-Z0-9 ]+-----).*?(-----END [A-Z0-9 ]+-----|\Z)", re.DOTALL)


def redacted_text(value: str) -> str:
    """A text of any length without what may be secret in it."""
    if not _MARKS.search(value):
        return value
    value = _BLOCK.sub(rf"\1{REDACTED}\2", value)
    for pattern, key in _TEXTS:
        value = pattern.sub(f"{key}{REDACTED}", value)
    return value


def redacted_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines of a log; their number stays, so that places in it stay right."""
    found: list[str] = []
    inside = False
    for line in lines:
        if inside and _BODY.fullmatch(line):
            found.append(REDACTED)
            continue
        begins = _BEGIN.search(line)
        inside = begins is not None and not _END.search(line, begins.end())
        found.append(redacted_text(line))
    return tuple(found)


def redacted(item: JsonObject) -> JsonObject:
    """An API object without what may be secret in it."""
    kind = text(item, "kind")
    return {key: _field(kind, key, value) for key, value in item.items()}


def _field(kind: str, key: str, value: JsonValue) -> JsonValue:
    if kind == "Secret" and key in ("data", "stringData"):
        return dict.fromkeys(sorted(value), REDACTED) if isinstance(value, Mapping) else None
    if kind == "ConfigMap" and key == "binaryData":
        return dict.fromkeys(sorted(value), REDACTED) if isinstance(value, Mapping) else None
    if kind == "ConfigMap" and key == "data" and isinstance(value, Mapping):
        return {name: _walked(name, inner) for name, inner in value.items()}
    return value if key in _HARMLESS else _walked(key, value)


_HARMLESS = frozenset(
    re.findall(
        r"\w+",
        """
        apiVersion kind name namespace uid resourceVersion generateName labels matchLabels
        nodeSelector managedFields ownerReferences creationTimestamp deletionTimestamp
        lastTransitionTime lastHeartbeatTime lastProbeTime startTime startedAt finishedAt
        firstTimestamp lastTimestamp eventTime type phase reason nodeName nodeInfo capacity
        allocatable addresses images image imageID containerID resources requests limits key
        operator effect tolerations taints mountPath hostPath path ports selector podIPs hostIPs
        qosClass volumeMounts serviceAccountName serviceAccount schedulerName priorityClassName
        source involvedObject
        """,
    )
)
"""Fields of API objects that hold nothing secret; by far the most of all objects."""


def _walked(key: str, value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return REDACTED if value and _secret_key(key) else redacted_text(value)
    if isinstance(value, dict):
        return {
            name: inner if name in _HARMLESS else _walked(name, inner)
            for name, inner in value.items()
            if name != _LAST_APPLIED
        }
    if isinstance(value, list):
        if key == "env":
            return [_variable(inner) for inner in value]
        if key in ("args", "command"):
            return _words(value)
        return [_walked(key, inner) for inner in value]
    return value


_OPTION = re.compile(rf"--?[\w-]*{_NAMED}", re.IGNORECASE)
_OPTION_AND_VALUE = re.compile(
    rf"(?P<key>(?<![\w-])--?[\w-]*{_NAMED}\s+)(?!-){_ASSIGNED}", re.IGNORECASE
)
"""Within a line for a shell. In prose, such as a log's, what follows an option is no value."""


def _words(words: Sequence[JsonValue]) -> list[JsonValue]:
    """A command line; a secret may be the word after its option."""
    found: list[JsonValue] = []
    before: JsonValue = ""
    for word in words:
        if not isinstance(word, str):
            found.append(_walked("", word))
        elif word and isinstance(before, str) and _OPTION.fullmatch(before) and word[0] != "-":
            found.append(REDACTED)
        else:
            found.append(redacted_text(_OPTION_AND_VALUE.sub(rf"\g<key>{REDACTED}", word)))
        before = word
    return found


def redacted_words(words: Sequence[str]) -> tuple[str, ...]:
    """A command line without what may be secret in it."""
    return tuple(str(word) for word in _words(words))


_NAMES = frozenset({"secretName", "tokenExpirationSeconds", "automountServiceAccountToken"})
"""Fields of API objects that speak of secrets and hold none."""


_SECRET_KEY = re.compile(
    r"(.*[/_.-])?(password|passwd|token|((secret|api|access|private)[_-]?key)|client[_-]?secret)",
    re.IGNORECASE,
)


def _secret_key(key: str) -> bool:
    """Whether a value under this key is one, such as ``password`` in a ConfigMap's data."""
    return bool(_SECRET_KEY.fullmatch(key) and key not in _NAMES)


def _variable(entry: JsonValue) -> JsonValue:
    """A container's variable; where its value comes from elsewhere, only the reference is here."""
    value = entry.get("value") if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(value, str):
        return entry
    return {**entry, "value": _shown(text(entry, "name"), value)}


def _shown(name: str, value: str) -> str:
    if _SECRET_NAME.search(name):
        return REDACTED
    plain = _PLAIN_VALUE.fullmatch(value) or _RESOURCE.fullmatch(value)
    return redacted_text(value) if plain or _TELLING_NAME.match(name) else REDACTED
