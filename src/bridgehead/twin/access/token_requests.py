"""``serviceaccounts/NAME/token``: a token for an account, good for a while.

Source: k8s.io/kubernetes/pkg/registry/core/serviceaccount/storage/token.go (1.37).
"""

from collections.abc import Iterator, Mapping

from bridgehead.twin.access.incoming import read_review
from bridgehead.twin.access.reviews import Review
from bridgehead.twin.access.tokens import ISSUER, Tokens
from bridgehead.twin.api.answers import value_answer
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.errors import Cause, bad_request, conflict, invalid
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, at, fields, items, text, uid_of
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.validation.causes import invalid as invalid_value

_KIND = Kind(
    group="authentication.k8s.io", version="v1", kind="TokenRequest", plural="TokenRequest"
)
_HOUR = 3600
_SHORTEST = 600
_LONGEST = 1 << 32
_BINDABLE = {"Pod": "pods", "Node": "nodes", "Secret": "secrets"}


class TokenRequests:
    """Makes tokens on request."""

    def __init__(self, registry: Registry, tokens: Tokens) -> None:
        self._registry = registry
        self._tokens = tokens

    def parts(self) -> Mapping[tuple[str, str], Mapping[str, Review]]:
        """Who answers what, by resource and part."""
        return {("serviceaccounts", "token"): {"create": self.create}}

    def create(self, call: Call) -> Answer:
        """A token for the account of the path. Raises ApiError: 400, 404, 409, 415, 422."""
        request = read_review(call, self._registry, _KIND, _set_defaults)
        _check_place(call, request)
        account = self._registry.get(call.kind, call.namespace, call.name)
        self._check_uid(call, request, account)
        spec = dict(fields(request, "spec"))
        spec["audiences"] = list(items(spec, "audiences")) or [ISSUER]
        seconds = int(spec["expirationSeconds"])
        if causes := list(_causes(seconds)):
            raise invalid(_KIND, "", causes)
        bound = self._bound(call, fields(spec, "boundObjectRef"))
        token = self._tokens.issue(
            account, audiences=spec["audiences"], seconds=seconds, bound=bound
        )
        clock = self._registry.clock
        made = {
            **request,
            "metadata": {
                **fields(request, "metadata"),
                "name": call.name,
                "namespace": call.namespace,
                "uid": uid_of(account),
                "creationTimestamp": clock.timestamp(),
            },
            "spec": {**spec, "boundObjectRef": at(spec, "boundObjectRef")},
            "status": {"token": token, "expirationTimestamp": clock.timestamp(seconds)},
        }
        return value_answer(made, call.form, status=201)

    def _check_uid(self, call: Call, request: Object, account: Object) -> None:
        uid = uid_of(request)
        if uid and uid != uid_of(account):
            raise conflict(
                _KIND,
                call.name,
                f"the UID in the token request ({uid}) does not match the UID of the service "
                f"account ({uid_of(account)})",
            )

    def _bound(self, call: Call, reference: Mapping[str, object]) -> dict[str, Object]:
        """What the token is to live with, by its kind. Raises ApiError: 400, 404, 409."""
        if not reference:
            return {}
        version, kind, name = (text(reference, key) for key in ("apiVersion", "kind", "name"))
        if "/" in version or kind not in _BINDABLE:
            shown = version if "/" in version else f"/{version}"
            raise bad_request(f"cannot bind token to object of type {shown}, Kind={kind}")
        of = self._registry.kinds.named("", _BINDABLE[kind])
        found = self._registry.get(of, call.namespace if of.namespaced else "", name)
        bound = {kind.lower(): found}
        if kind == "Pod":
            if text(found, "spec", "serviceAccountName") != call.name:
                raise bad_request(
                    f'cannot bind token for serviceaccount "{call.name}" to pod running with '
                    "different serviceaccount name."
                )
            if node := text(found, "spec", "nodeName"):
                nodes = self._registry.kinds.named("", "nodes")
                known = self._registry.store.get(nodes.stored, "", node)
                bound["node"] = known or {"metadata": {"name": node}}
        uid = text(reference, "uid")
        if uid and uid != uid_of(found):
            named = Kind(group="", version="v1", kind=kind, plural=kind)
            raise conflict(
                named,
                name,
                f"the UID in the bound object reference ({uid}) does not match the UID in record. "
                "The object might have been deleted and then recreated",
            )
        return bound


def _set_defaults(request: Object) -> None:
    if request["spec"].get("expirationSeconds") is None:
        request["spec"]["expirationSeconds"] = _HOUR


def _check_place(call: Call, request: Object) -> None:
    """Raises ApiError 422 where the body names another account than the path."""
    for field, what, wanted in (
        ("name", "name", call.name),
        ("namespace", "namespace", call.namespace),
    ):
        given = text(request, "metadata", field)
        if given and given != wanted:
            why = f"must match the service account {what} if specified"
            raise invalid(_KIND, call.name, [invalid_value(f"metadata.{field}", given, why)])


def _causes(seconds: int) -> Iterator[Cause]:
    field = "spec.expirationSeconds"
    if seconds < _SHORTEST:
        yield invalid_value(field, seconds, "may not specify a duration less than 10 minutes")
    if seconds > _LONGEST:
        yield invalid_value(field, seconds, "may not specify a duration larger than 2^32 seconds")
