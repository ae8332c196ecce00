"""Rows of who may do what, and of certificates."""

from typing import Any

from bridgehead.twin.objects import Object, at, fields, items, name_of, text
from bridgehead.twin.tables.cells import NONE, age, labels, word
from bridgehead.twin.tables.durations import human


def binding(obj: Object, now: float) -> list[Any]:
    """Source: ``printRoleBinding`` and ``printClusterRoleBinding``."""
    subjects = items(obj, "subjects")
    accounts = [
        f"{text(entry, 'namespace')}/{entry['name']}"
        for entry in subjects
        if entry["kind"] == "ServiceAccount"
    ]
    return [
        name_of(obj),
        f"{text(obj, 'roleRef', 'kind')}/{text(obj, 'roleRef', 'name')}",
        age(obj, now),
        *(
            ", ".join(entry["name"] for entry in subjects if entry["kind"] == kind)
            for kind in ("User", "Group")
        ),
        ", ".join(accounts),
    ]


def signing_request(obj: Object, now: float) -> list[Any]:
    """Source: ``printCertificateSigningRequest``."""
    seconds = at(obj, "spec", "expirationSeconds")
    return [
        name_of(obj),
        age(obj, now),
        text(obj, "spec", "signerName") or NONE,
        word(obj, "spec", "username"),
        NONE if seconds is None else human(seconds),
        _signing_status(obj),
    ]


def trust_bundle(obj: Object, _now: float) -> list[Any]:
    """Source: ``printClusterTrustBundle``."""
    return [name_of(obj), text(obj, "spec", "signerName") or NONE]


def pod_certificate_request(obj: Object, _now: float) -> list[Any]:
    """Source: ``printPodCertificateRequest``."""
    state = "Pending"
    for condition in items(obj, "status", "conditions"):
        if condition["type"] in {"Issued", "Denied", "Failed"}:
            state = condition["type"]
    spec = ("podName", "serviceAccountName", "nodeName", "signerName")
    return [
        name_of(obj),
        *(word(obj, "spec", field) for field in spec),
        state,
        labels(fields(obj, "spec", "unverifiedUserAnnotations")),
    ]


def _signing_status(obj: Object) -> str:
    types = {condition["type"] for condition in items(obj, "status", "conditions")}
    told = "Denied" if "Denied" in types else "Approved" if "Approved" in types else "Pending"
    if "Failed" in types:
        told += ",Failed"
    return told + (",Issued" if text(obj, "status", "certificate") else "")
