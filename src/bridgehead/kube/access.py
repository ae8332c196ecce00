"""Questions about permissions, as bodies and answers of the review APIs.

Sources: `authorization.k8s.io/v1` (SelfSubjectAccessReview, SubjectAccessReview) and
`authentication.k8s.io/v1` (SelfSubjectReview, stable since Kubernetes 1.28).
"""

import msgspec

from bridgehead.kube.decoding import JsonObject
from bridgehead.kube.objects.base import Partial


class AccessAttributes(msgspec.Struct, frozen=True):
    """One question: may this be done? An empty namespace means all namespaces."""

    verb: str
    resource: str
    group: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        what = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        grouped = f"{what}.{self.group}" if self.group else what
        where = f" in namespace {self.namespace}" if self.namespace else ""
        return f"{self.verb} {grouped}{' ' + self.name if self.name else ''}{where}"

    def body(self) -> JsonObject:
        """As `resourceAttributes` of a review."""
        filled = {field: getattr(self, field) for field in self.__struct_fields__}
        return {field: value for field, value in filled.items() if value}


class AccessResult(Partial, frozen=True):
    """The answer. Not allowed is a no, even when nothing denies it explicitly."""

    allowed: bool = False
    denied: bool = False
    reason: str = ""
    evaluation_error: str = ""


class AccessReview(Partial, frozen=True):
    """A review with its answer."""

    status: AccessResult = AccessResult()


class UserInfo(Partial, frozen=True):
    """Who the server takes us for."""

    username: str = ""
    uid: str = ""
    groups: tuple[str, ...] = ()


class _SelfReviewStatus(Partial, frozen=True):
    user_info: UserInfo = UserInfo()


class SelfReview(Partial, frozen=True):
    """Answer of a SelfSubjectReview."""

    status: _SelfReviewStatus = _SelfReviewStatus()


SELF_ACCESS_PATH = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
ACCESS_PATH = "/apis/authorization.k8s.io/v1/subjectaccessreviews"
SELF_PATH = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def self_access_body(attributes: AccessAttributes) -> JsonObject:
    """Ask about ourselves."""
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes.body()},
    }


def access_body(user: str, groups: tuple[str, ...], attributes: AccessAttributes) -> JsonObject:
    """Ask about somebody else."""
    return {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {
            "user": user,
            "groups": list(groups),
            "resourceAttributes": attributes.body(),
        },
    }


def self_body() -> JsonObject:
    """Ask who we are."""
    return {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
