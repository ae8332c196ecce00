"""Rows of admission's own kinds: webhooks, policies and their bindings."""

from typing import Any

from bridgehead.twin.objects import Object, at, items, name_of, text
from bridgehead.twin.tables.cells import UNSET, age, selector, word


def webhooks(obj: Object, now: float) -> list[Any]:
    """Source: ``printMutatingWebhook`` and ``printValidatingWebhook``."""
    return [name_of(obj), len(items(obj, "webhooks")), age(obj, now)]


def validating_policy(obj: Object, now: float) -> list[Any]:
    """Source: ``printValidatingAdmissionPolicy``."""
    return _policy(obj, "validations", now)


def mutating_policy(obj: Object, now: float) -> list[Any]:
    """Source: ``printMutatingAdmissionPolicy``."""
    return _policy(obj, "mutations", now)


def policy_binding(obj: Object, now: float) -> list[Any]:
    """Source: ``printValidatingAdmissionPolicyBinding``."""
    parameters, told = at(obj, "spec", "paramRef"), UNSET
    if parameters is not None:
        if name := text(parameters, "name"):
            told = f"{text(parameters, 'namespace') or '*'}/{name}"
        elif parameters.get("selector") is not None:
            told = selector(parameters["selector"])
    return [name_of(obj), word(obj, "spec", "policyName"), told, age(obj, now)]


def _policy(obj: Object, what: str, now: float) -> list[Any]:
    kind = at(obj, "spec", "paramKind")
    told = UNSET if kind is None else f"{text(kind, 'apiVersion')}/{text(kind, 'kind')}"
    return [name_of(obj), len(items(obj, "spec", what)), told, age(obj, now)]
