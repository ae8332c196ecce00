"""Takes out of an output what no two playings have in common: times, ids, addresses, widths."""

import json
import re
from collections.abc import Mapping
from typing import Any

_SAFE = "bcdfghjklmnpqrstvwxz2456789"
"""Letters of generated names and of hashes of templates."""

_AGE = r"(?<!cpu: )(?<!cpu:  )(?<![\w.=\-:/\"'])\d+(s|m\d+s|m|h\d+m|h|d\d+h|d)(?=[\s,)]|$)"
"""Spans of time as kubectl prints them; a quantity of processor time looks the same."""

_FOREIGN = r"^  (?!NS\.)[a-z0-9.-]+\.[a-z]+/[\w.-]+:? +\d+( +\d+)?\n"
"""A resource that a kubelet still names for a plugin of somebody else, in a description."""

_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.MULTILINE), to)
    for pattern, to in (
        (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", "TIME"),
        (r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)? [+-]\d{4}( UTC)?( m=\S+)?", "TIME"),
        (r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+\d{4}", "TIME"),
        (r"^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ +\d+ ", "KLOG "),
        (r"^KLOG reflector.go:.*\n", ""),  # a wait that ends while its watch begins
        (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UID"),
        (r"\b[0-9a-f]{32}\b", "UUID"),
        (r"(X509SHA256=)[0-9a-f]{64}", r"\1FINGERPRINT"),
        (r'(\\"resourceVersion\\":)\\"\d+\\"', r"\1VERSION"),
        (r"(\"?resourceVersion\"?: ?)\"\d+\"", r'\1"VERSION"'),
        (r"(Resource Version: +|Expected resource version to be 1, was )\d+", r"\1VERSION"),
        (r"/tmp/kubectl-edit-\d+", "/tmp/kubectl-edit"),
        (r"eyJ[\w-]+\.[\w-]+\.[\w-]+", "TOKEN"),
        (r"\bsha256:[0-9a-f]{64}", "DIGEST"),
        (r"\bcontainerd://[0-9a-f]{64}", "CONTAINER"),
        (r"https://[\w.-]+(:\d+)?(?=[/\s\"]|$)", "SERVER"),
        (r"\b\d{1,3}(\.\d{1,3}){3}\b(:\d+)?", "ADDRESS"),
        (r"/tmp/(LIVE|MERGED)-\d+", r"/tmp/\1"),
        (
            r"(pod-template-hash|controller-revision-hash)(\"?[:=] ?\"?)[" + _SAFE + r"]{6,10}\b",
            r"\1\2HASH",
        ),
        (r"-[" + _SAFE + r"]{7,10}-[" + _SAFE + r"]{5}\b", "-HASH-CHANCE"),
        (r"-[" + _SAFE + r"]{7,10}\b", "-HASH"),
        (r"-[" + _SAFE + r"]{5}\b", "-CHANCE"),
        (r"(?<=\S)  +", "  "),
        (r"[ \t]+$", ""),
        (r"\b(\d+):3[0-2]\d{3}/(TCP|UDP)", r"\1:NODEPORT/\2"),
        (r"^(  cpu: +)\d+$", r"\1CPU"),
        (_AGE, "AGE"),
        (r" \(x\d+ over AGE\)", ""),
        (_FOREIGN, ""),
    )
)


def masked(text: str, names: Mapping[str, str]) -> str:
    """An output as it can be compared; ``names`` are those of the playing, by what they are."""
    text = _ordered(text)
    for what, name in sorted(names.items(), key=lambda item: -len(item[1])):
        before = "" if what == "ns" else "(?<![a-z0-9])"  # a name may begin with others' letters
        text = re.sub(rf"{before}{re.escape(name)}(?![a-z0-9])", what.upper(), text)
    for pattern, to in _RULES:
        text = pattern.sub(to, text)
    return text


def _ordered(text: str) -> str:
    """JSON with what has no order that says anything sorted; any other text as it is.

    Keys of objects, and managedFields: entries of one second are sorted by other things than those
    of two.
    """
    if not text.startswith(("{", "[")):
        return text
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return json.dumps(_with_sorted_managers(value), sort_keys=True, indent=1, ensure_ascii=False)


def _with_sorted_managers(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _with_sorted_managers(inner) for key, inner in value.items()}
    if isinstance(value, list):
        values = [_with_sorted_managers(inner) for inner in value]
        if values and all(isinstance(item, dict) and "fieldsV1" in item for item in values):
            values.sort(key=lambda item: (item["manager"], item["operation"], str(item)))
        return values
    return value
