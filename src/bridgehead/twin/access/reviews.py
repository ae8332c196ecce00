"""Answers who asks what somebody may do, and whose a token is.

Sources: k8s.io/kubernetes/pkg/registry/authorization/*/rest.go and
pkg/registry/authentication/{selfsubjectreview/rest.go,tokenreview/storage.go} (1.37).
"""

from collections.abc import Callable, Mapping

from bridgehead.twin.access.asked import attributes_in, check, status_of, user_in
from bridgehead.twin.access.guard import Guard
from bridgehead.twin.access.incoming import read_review
from bridgehead.twin.access.rules import Rule
from bridgehead.twin.access.tokens import ISSUER, TokenError
from bridgehead.twin.api.answers import value_answer
from bridgehead.twin.api.call import Call
from bridgehead.twin.api.exchange import Answer
from bridgehead.twin.api.gate import User
from bridgehead.twin.errors import bad_request
from bridgehead.twin.objects import Object, at, items, text
from bridgehead.twin.registry import Registry

Review = Callable[[Call], Answer]


class Reviews:
    """All reviews; none of them is stored."""

    def __init__(self, registry: Registry, guard: Guard) -> None:
        self._registry = registry
        self._guard = guard

    def parts(self) -> Mapping[tuple[str, str], Mapping[str, Review]]:
        """Who answers what, by resource and part."""
        by_resource: dict[str, Review] = {
            "selfsubjectaccessreviews": self.of_oneself,
            "subjectaccessreviews": self.of_somebody,
            "localsubjectaccessreviews": self.of_somebody_here,
            "selfsubjectrulesreviews": self.of_own_rules,
            "selfsubjectreviews": self.of_own_name,
            "tokenreviews": self.of_a_token,
        }
        return {(resource, ""): {"create": serve} for resource, serve in by_resource.items()}

    def of_oneself(self, call: Call) -> Answer:
        """Whether the one who asks may do something. Raises ApiError: 400, 415, 422."""
        review = read_review(call, self._registry)
        check(review)
        return self._judged(call, review, call.user)

    def of_somebody(self, call: Call) -> Answer:
        """Whether somebody may do something. Raises ApiError: 400, 415, 422."""
        review = read_review(call, self._registry)
        check(review, of_user=True)
        return self._judged(call, review, user_in(review["spec"]))

    def of_somebody_here(self, call: Call) -> Answer:
        """Whether somebody may do something in a namespace. Raises ApiError: 400, 415, 422."""
        review = read_review(call, self._registry)
        check(review, of_user=True, local=True)
        return self._judged(call, review, user_in(review["spec"]))

    def _judged(self, call: Call, review: Object, user: User) -> Answer:
        decision = self._guard.authorizer.decide(user, attributes_in(review["spec"]))
        return _answered(call, {**review, "status": status_of(decision)})

    def of_own_rules(self, call: Call) -> Answer:
        """All that the one who asks may do in a namespace. Raises ApiError: 400, 415."""
        review = read_review(call, self._registry)
        namespace = text(review, "spec", "namespace")
        if not namespace:
            raise bad_request("no namespace on request")
        rules, errors, _ = self._guard.authorizer.rules(call.user, namespace)
        status: Object = {
            "resourceRules": [_resource_rule(rule) for rule in rules if rule.resources],
            "nonResourceRules": [
                {"verbs": list(rule.verbs), "nonResourceURLs": list(rule.urls)}
                for rule in rules
                if rule.urls
            ],
            "incomplete": False,
        }
        if errors:
            unique = list(dict.fromkeys(errors))
            told = unique[0] if len(unique) == 1 else f"[{', '.join(unique)}]"
            status["evaluationError"] = told
        return _answered(call, {**_bare(review), "metadata": {}, "spec": {}, "status": status})

    def of_own_name(self, call: Call) -> Answer:
        """Who asks. Raises ApiError: 400, 415."""
        review = _bare(read_review(call, self._registry))
        stamp = self._registry.clock.timestamp()
        status = {"userInfo": _user_info(call.user)}
        return _answered(
            call, {**review, "metadata": {"creationTimestamp": stamp}, "status": status}
        )

    def of_a_token(self, call: Call) -> Answer:
        """Whose a token is. Raises ApiError: 400, 415."""
        review = read_review(call, self._registry)
        token = text(review, "spec", "token")
        if not token:
            raise bad_request("token is required for TokenReview in authentication")
        audiences = list(items(review, "spec", "audiences")) or [ISSUER]
        try:
            user, own = self._guard.holder(token, audiences)
        except TokenError as error:
            status: Object = {"user": {}, "error": str(error)}
        else:
            status = {"authenticated": True, "user": _user_info(user), "audiences": own}
        return _answered(call, {**review, "status": status})


def _answered(call: Call, review: Object) -> Answer:
    return value_answer(review, call.form, status=201)


def _bare(review: Object) -> Object:
    return {"kind": at(review, "kind"), "apiVersion": at(review, "apiVersion")}


def _resource_rule(rule: Rule) -> Object:
    listed = {
        "verbs": rule.verbs,
        "apiGroups": rule.groups,
        "resources": rule.resources,
        "resourceNames": rule.names,
    }
    return {key: list(values) for key, values in listed.items() if values}


def _user_info(user: User) -> Object:
    info = {
        "username": user.name,
        "uid": user.uid,
        "groups": list(user.groups),
        "extra": {key: list(values) for key, values in user.extra.items()},
    }
    return {key: value for key, value in info.items() if value}
