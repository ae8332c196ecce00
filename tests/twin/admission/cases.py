"""The manifests, and how both servers are asked what they make of them."""

import time
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import urlencode

import yaml

from bridgehead.twin.admission.admission import Admission
from bridgehead.twin.api.service import Api
from bridgehead.twin.clock import Clock
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.store import Store
from tests.twin.admission.both import MANIFESTS, Object, Real, Reply, masked, path_of, simulated
from tests.twin.api.asking import api_of
from tests.twin.virtually import START

_JSON = "application/json"
_MERGE = "application/merge-patch+json"
_PATIENCE = 60.0
"""Seconds until an object of the real server is gone."""

_LABELS = ("enforce", "enforce-version", "warn", "warn-version")


class Case(NamedTuple):
    """One thing to ask."""

    name: str
    object: Object
    patch: Object | None = None
    """A change to the object, which is created first; None where the creation is asked for."""
    labels: Object | None = None
    """Of the namespace."""

    def of(self, namespace: str) -> Object:
        """The object in a namespace."""
        written = yaml.safe_dump(self.object).replace("NAMESPACE", namespace)
        made: Object = yaml.safe_load(written)
        return made


def cases() -> Iterator[Case]:
    """All of them, named after their files."""
    for file in ("new", "refused"):
        for number, found in enumerate(_documents(file)):
            yield Case(f"{file}-{number}-{found['kind']}", found)
    for file in ("changes", "secured"):
        for number, found in enumerate(next(_documents(file))):
            name = f"{file}-{number}-{found['object']['kind']}"
            yield Case(name, found["object"], found.get("patch"), found.get("labels"))


def _documents(file: str) -> Iterator[Any]:
    yield from yaml.safe_load_all((MANIFESTS / f"{file}.yaml").read_text())


def ask_real(real: Real, case: Case, namespace: str) -> Reply:
    """What the real server says; it stores nothing that outlasts the question."""
    body = case.of(namespace)
    place = path_of(body, namespace)
    real.ask("PATCH", f"/api/v1/namespaces/{namespace}", _labelled(case), _MERGE)
    if case.patch is None:
        return _final(case, real.ask("POST", _dry(place), body, _JSON), namespace)
    named = f"{place}/{body['metadata']['name']}"
    gone = f"{named}?gracePeriodSeconds=0&propagationPolicy=Background"
    real.ask("POST", place, body, _JSON)
    try:
        return _final(case, real.ask("PATCH", _dry(named), case.patch, _MERGE), namespace)
    finally:
        real.ask("DELETE", gone, {}, _JSON)
        _wait_until_gone(real, named)


def _wait_until_gone(real: Real, path: str) -> None:
    """The next case may be of an object of the same name."""
    end = time.monotonic() + _PATIENCE
    while real.ask("GET", path, None, _JSON).status == 200:
        if time.monotonic() > end:
            raise TimeoutError(path)
        time.sleep(0.1)


async def ask_twin(case: Case, namespace: str) -> Reply:
    """What the twin says, in a world of its own."""
    api = _api(namespace)
    body = case.of(namespace)
    place = path_of(body, namespace)
    space = f"/api/v1/namespaces/{namespace}"
    await simulated(api, "PATCH", space, _labelled(case), _MERGE)
    if case.patch is None:
        return _final(case, await simulated(api, "POST", _dry(place), body, _JSON), namespace)
    await simulated(api, "POST", place, body, _JSON)
    named = f"{place}/{body['metadata']['name']}"
    return _final(case, await simulated(api, "PATCH", _dry(named), case.patch, _MERGE), namespace)


def _dry(path: str) -> str:
    return f"{path}?{urlencode({'dryRun': 'All', 'fieldValidation': 'Warn'})}"


def _labelled(case: Case) -> Object:
    prefix = "pod-security.kubernetes.io/"
    labels = {f"{prefix}{name}": None for name in _LABELS} | (case.labels or {})
    return {"metadata": {"labels": labels}}


def _final(case: Case, reply: Reply, namespace: str) -> Reply:
    """Comparable, and of changed objects without what controllers of the real cluster add."""
    reply = masked(reply, namespace)
    if case.patch is not None and reply.status == 200:
        reply.body.pop("status", None)
        annotations = reply.body["metadata"].get("annotations") or {}
        annotations.pop("deployment.kubernetes.io/revision", None)
        if not annotations:
            reply.body["metadata"].pop("annotations", None)
    return reply


def _api(namespace: str) -> Api:
    """The twin's API with what a namespace has from its beginning; needs a running loop."""
    kinds, store, identifiers = Kinds(builtin_kinds()), Store(), Identifiers(1)
    clock = Clock(start=START)
    admission = Admission(kinds, store, clock, identifiers)
    registry = Registry(kinds, store, clock, identifiers, admission)
    registry.create(kinds.named("", "namespaces"), {"metadata": {"name": namespace}})
    accounts = kinds.named("", "serviceaccounts")
    registry.create(accounts, {"metadata": {"name": "default"}}, namespace=namespace)
    classes = kinds.named("scheduling.k8s.io", "priorityclasses")
    for name, value in (("cluster", 2_000_000_000), ("node", 2_000_001_000)):
        body = {"metadata": {"name": f"system-{name}-critical"}, "value": value}
        registry.create(classes, body)
    return api_of(registry)
