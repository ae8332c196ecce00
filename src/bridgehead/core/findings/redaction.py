"""What may be secret is taken out of objects, events and logs before anybody sees them.

Removed are: values of environment variables (but those that tell how a plugin is set up), what a
Secret holds, kubectl's copy of an object, every value under the name of a secret (of a field, an
option, a header, a name with a value beside it), and in texts of any kind tokens, passwords,
credentials in URLs and PEM blocks. A text that is JSON is gone through as an object. Labels, and
what selects by them, stay. To do it twice is the same as to do it once, so that what was recorded
is read back as it was.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from bridgehead.core.findings.secret_documents import HOLDING
from bridgehead.core.findings.secret_names import secret_name
from bridgehead.core.findings.secret_options import redacted_script, redacted_word
from bridgehead.core.findings.secret_texts import marked, redacted_blocks, redacted_phrase
from bridgehead.core.findings.secret_values import REDACTED, harmless
from bridgehead.core.model.json import JsonObject, JsonValue, text

_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"

_TELLING_NAME = re.compile(
    r"^(NVIDIA|CUDA|MIG|MPS|GFD|DP|DEVICE|DEVICES|PASS_DEVICE|FAIL_ON|DRIVER|CONFIG|CDI|AMD|ROCM|"
    r"HSA|INTEL|HABANA|SRIOV|RDMA|HAMI|ASCEND|KUBELET|NODE|HOST|POD|NAMESPACE|FAKE|PLUGIN|RESOURCE|"
    r"SOCKET|LD_LIBRARY|WITH|ROOT|RUNTIME|VALIDATOR|OPERATOR|WAIT|LOG|KLOG|GRPC)(_|$)",
    re.IGNORECASE,
)
"""Names of variables by which families of plugins, their drivers and toolkits are set up."""

_PLAIN_VALUE = re.compile(r"(true|false|yes|no|on|off|[0-9]{1,6}(ms|s|m|h)?|)", re.IGNORECASE)
_RESOURCE = re.compile(r"[a-z0-9][-a-z0-9.]*\.[a-z]{2,}/[-A-Za-z0-9_.]+(,[-a-z0-9./A-Z_]+)*")
_VARIABLES = re.compile(r".*?(?:\b|[a-z_])(env|Env|ENV)(ironment)?(s|[_-]?[vV]ar(iable)?s?)?")
"""Keys of fields that hold variables: ``env``, ``extraEnv``, ``environment``."""


@lru_cache(maxsize=1024)
def _of_variables(key: str) -> bool:
    return _VARIABLES.fullmatch(key) is not None


def redacted_text(value: str) -> str:
    """A text of any length without what may be secret in it."""
    return _any_text(value) if marked(value) or '"env"' in value else value


def redacted_lines(lines: Iterable[str]) -> tuple[str, ...]:
    """Lines of a log; their number stays, so that places in it stay right."""
    return tuple(map(redacted_text, redacted_blocks(list(lines))))


def redacted(item: JsonObject) -> JsonObject:
    """An API object without what may be secret in it."""
    group = text(item, "apiVersion").rpartition("/")[0]
    known = "apiVersion" in item and ("." not in group or group.endswith(".k8s.io"))
    return _object(item, text(item, "kind"), _KNOWN if known else _LABELS)


def _object(item: JsonObject, kind: str, passed: frozenset[str]) -> dict[str, JsonValue]:
    return {
        key: inner if key in passed else _field(kind, key, inner, passed)
        for key, inner in item.items()
    }


def _field(kind: str, key: str, value: JsonValue, passed: frozenset[str]) -> JsonValue:
    if kind == "Secret":
        if key in ("data", "stringData"):
            return _emptied(value)
        if key == "metadata" and isinstance(value, Mapping) and value.get("annotations"):
            return _walked("", {**value, "annotations": _emptied(value["annotations"])}, passed)
    if kind == "ConfigMap" and key == "binaryData":
        return _emptied(value)
    if kind == "ConfigMap" and key == "data" and isinstance(value, Mapping):
        return {name: _walked(name, inner, _NOTHING) for name, inner in value.items()}
    if key == "items" and kind.endswith("List") and isinstance(value, Sequence):
        return [_of_a_list(kind.removesuffix("List"), inner) for inner in value]
    return _walked(key, value, passed)


def _emptied(value: JsonValue) -> JsonValue:
    if not isinstance(value, Mapping):
        return None
    return dict.fromkeys(sorted(name for name in value if name != _LAST_APPLIED), REDACTED)


def _of_a_list(kind: str, item: JsonValue) -> JsonValue:
    """An entry of a list, which need not say of which kind it is; what has data may be a Secret."""
    if not isinstance(item, Mapping):
        return _walked("", item, _LABELS)
    if "kind" in item:
        return redacted(item)
    if not kind and ("data" in item or "stringData" in item):
        kind = "Secret"
    return _object(item, kind, _LABELS)


_NOTHING: frozenset[str] = frozenset()
_LABELS = frozenset(
    re.findall(
        r"\w+",
        """
        labels matchLabels nodeSelector managedFields ownerReferences capacity allocatable
        tolerations taints
        """,
    )
)
"""Fields of all objects that hold nothing secret, or names that other objects select by."""

_PLAIN = frozenset(
    re.findall(
        r"\w+",
        """
        apiVersion kind name namespace uid resourceVersion generateName type phase reason
        nodeName key operator effect
        """,
    )
)
"""Fields of all objects whose texts are names and words of the API."""

_KNOWN = (
    _LABELS
    | _PLAIN
    | frozenset(
        re.findall(
            r"\w+",
            """
            creationTimestamp deletionTimestamp lastTransitionTime lastHeartbeatTime lastProbeTime
            startTime startedAt finishedAt firstTimestamp lastTimestamp eventTime nodeInfo
            addresses images image imageID containerID resources requests limits mountPath hostPath
            ports selector podIPs hostIPs qosClass volumeMounts serviceAccountName serviceAccount
            schedulerName priorityClassName source involvedObject imagePullPolicy
            terminationMessagePath terminationMessagePolicy dnsPolicy restartPolicy podIP hostIP
            ready started restartCount priority defaultMode terminationGracePeriodSeconds
            serviceAccountToken capabilities
            """,
        )
    )
)
"""Fields of Kubernetes' own objects that hold nothing secret; by far the most of all objects."""


def _walked(key: str, value: JsonValue, passed: frozenset[str]) -> JsonValue:
    if isinstance(value, str):
        if key in _PLAIN and passed:
            return value
        if value and secret_name(key) and not harmless(value):
            return REDACTED
        return _text(value)
    if isinstance(value, dict | Mapping):
        return _mapping(key, value, passed)
    if isinstance(value, list | Sequence):
        return _list(key, value, passed)
    counts = value is None or isinstance(value, bool) or not secret_name(key)
    return value if counts else REDACTED


def _mapping(key: str, value: JsonObject, passed: frozenset[str]) -> JsonValue:
    if "kind" in value and text(value, "kind").endswith(("Secret", "ConfigMap", "List")):
        return redacted(value)
    found = {
        name: inner if name in passed else _walked(name, inner, passed)
        for name, inner in value.items()
        if name != _LAST_APPLIED
    }
    if "value" in value and secret_name(_said_name(value)):
        found["value"] = _hidden(value["value"])
    if _of_variables(key):
        for name, inner in value.items():
            if isinstance(inner, str):
                found[name] = _shown(name, inner)
    elif secret_name(key):
        for name in HOLDING.intersection(value):
            found[name] = _hidden(value[name])
    return found


def _said_name(entry: JsonObject) -> str:
    """The name that stands beside a value; a toleration's key is no such name."""
    if "operator" in entry or "effect" in entry:
        return ""
    return text(entry, "name") or text(entry, "key")


def _hidden(value: JsonValue) -> JsonValue:
    if value is None or isinstance(value, bool) or (isinstance(value, str) and harmless(value)):
        return value
    return REDACTED


def _list(key: str, value: Sequence[JsonValue], passed: frozenset[str]) -> JsonValue:
    if value and all(isinstance(word, str) for word in value):
        if secret_name(key):
            return [_hidden(word) for word in value]
        return list(redacted_blocks(_words(value, script=key in ("args", "command"))))
    if _of_variables(key):
        return [_variable(inner, passed) for inner in value]
    return [_walked(key, inner, passed) for inner in value]


def _text(value: str) -> str:
    return _short(value) if len(value) < 200 else _any_text(value)


@lru_cache(maxsize=8192)
def _short(value: str) -> str:
    """Words of the API and addresses are met again and again."""
    return _any_text(value)


def _any_text(value: str) -> str:
    """A text, as an object if it is JSON; what holds nothing secret stays as it is written."""
    if value.lstrip()[:1] not in ("{", "[", '"'):
        return redacted_phrase(value)
    try:
        said: JsonValue = json.loads(value)
        clean = _walked("", said, _LABELS)
    except (ValueError, RecursionError):
        return redacted_phrase(value)
    if clean == said:
        return value
    return _written(clean, value)


def _written(said: JsonValue, before: str) -> str:
    """JSON in about the form that it had."""
    indent = 2 if "\n" in before.strip() else None
    separators = (",", ": " if indent or '": ' in before else ":")
    if indent is None and ", " in before and '": ' in before:
        separators = (", ", ": ")
    plain = before.isascii() or "\\u" in before
    inner = json.dumps(said, ensure_ascii=plain, indent=indent, separators=separators)
    return before[: len(before) - len(before.lstrip())] + inner + before[len(before.rstrip()) :]


def _words(words: Sequence[JsonValue], *, script: bool) -> list[str]:
    """A command line; a secret may be the word after its option."""
    found: list[str] = []
    before = ""
    for word in map(str, words):
        shown = redacted_word(before, word)
        found.append(_text(redacted_script(shown) if script and " " in shown else shown))
        before = word
    return found


def redacted_words(words: Sequence[str]) -> tuple[str, ...]:
    """A command line without what may be secret in it."""
    return tuple(redacted_blocks(_words(words, script=True)))


def _variable(entry: JsonValue, passed: frozenset[str]) -> JsonValue:
    """A container's variable; where its value comes from elsewhere, only the reference is here."""
    value = entry.get("value") if isinstance(entry, Mapping) else None
    if not isinstance(entry, Mapping) or not isinstance(value, str):
        return _walked("", entry, passed)
    return {**entry, "value": _shown(text(entry, "name"), value)}


def _shown(name: str, value: str) -> str:
    if secret_name(name):
        return value if harmless(value) else REDACTED
    plain = _PLAIN_VALUE.fullmatch(value) or _RESOURCE.fullmatch(value)
    return _text(value) if plain or _TELLING_NAME.match(name) else REDACTED
