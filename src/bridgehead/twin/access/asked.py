"""What a review asks of the rules, read from its ``spec``, and its mistakes.

Source: k8s.io/kubernetes/pkg/apis/authorization/validation/validation.go and
pkg/registry/authorization/util/helpers.go (1.37).
"""

from collections.abc import Iterator
from typing import Any

from bridgehead.twin.access.authorizer import Decision
from bridgehead.twin.api.gate import Attributes, User
from bridgehead.twin.errors import ApiError, Cause, invalid
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, at, fields, items, text
from bridgehead.twin.patches.field_set import encoded

_ONE_OF = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
_NAMELESS = Kind(group="authorization.k8s.io", version="v1", kind="", plural="")
"""Refusals of reviews name no kind."""


def attributes_in(spec: Any) -> Attributes:
    """What a review asks about."""
    if path := fields(spec, "nonResourceAttributes"):
        return Attributes(verb=text(path, "verb"), path=text(path, "path"))
    asked = fields(spec, "resourceAttributes")
    return Attributes(
        verb=text(asked, "verb"),
        group=text(asked, "group"),
        version=text(asked, "version") or "*",
        resource=text(asked, "resource"),
        subresource=text(asked, "subresource"),
        namespace=text(asked, "namespace"),
        name=text(asked, "name"),
    )


def user_in(spec: Any) -> User:
    """About whom a review asks."""
    return User(
        name=text(spec, "user"),
        uid=text(spec, "uid"),
        groups=tuple(items(spec, "groups")),
        extra={key: tuple(values) for key, values in fields(spec, "extra").items()},
    )


def status_of(decision: Decision) -> Object:
    """The answer of a review."""
    return {
        "allowed": decision.allowed,
        **({"reason": decision.reason} if decision.reason else {}),
    }


def check(review: Object, *, of_user: bool = False, local: bool = False) -> None:
    """Raises ApiError 422 with all mistakes of a review."""
    causes = list(_causes(review, of_user=of_user, local=local))
    if not causes:
        return
    refusal: ApiError = invalid(_NAMELESS, "", causes)
    del refusal.status["details"]["kind"]
    raise refusal


def _causes(review: Object, *, of_user: bool, local: bool) -> Iterator[Cause]:
    spec = fields(review, "spec")
    resource, path = at(spec, "resourceAttributes"), at(spec, "nonResourceAttributes")
    if (resource is None) == (path is None):
        shown = None if path is None else {"Path": text(path, "path"), "Verb": text(path, "verb")}
        yield _cause("spec", shown, _ONE_OF)
    if of_user and not text(spec, "user") and not items(spec, "groups"):
        yield _cause("spec.user", "", "at least one of user or group must be specified")
    metadata = fields(review, "metadata")
    allowed = {"managedFields", *(("namespace",) if local else ())}
    if any(value for key, value in metadata.items() if key not in allowed):
        told = "must be empty except for namespace" if local else "must be empty"
        yield _cause("metadata", metadata, told)
    if local and resource is not None:
        namespace = text(resource, "namespace")
        if namespace != text(metadata, "namespace"):
            told = "must match metadata.namespace"
            yield _cause("spec.resourceAttributes.namespace", namespace, told)
    if local and path is not None:
        shown = {"Path": text(path, "path"), "Verb": text(path, "verb")}
        yield _cause("spec.nonResourceAttributes", shown, "disallowed on this kind of request")


def _cause(field: str, value: Any, why: str) -> Cause:
    message = f"Invalid value: {encoded(value)}: {why}"
    return Cause(reason="FieldValueInvalid", message=message, field=field)
