"""What service accounts may do, asked of the API server: reviews, which it answers and forgets."""

import asyncio
from collections.abc import Collection

import msgspec

from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.access import AccessAttributes
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden

GRANT = "create subjectaccessreviews.authorization.k8s.io"
_ACCOUNTS = "system:serviceaccounts"


class Question(msgspec.Struct, frozen=True, order=True):
    """May this account (``NAMESPACE/NAME``) do that, in all namespaces?

    ``resource`` is written as kubectl does: ``pods``, ``nodes/status``, ``daemonsets.apps``.
    """

    account: str
    verb: str
    resource: str


async def access_answers(
    kube: Kube, questions: Collection[Question]
) -> tuple[tuple[JsonObject, ...], tuple[Unread, ...]]:
    """An ``AccessAnswer`` for each question; or none, and which permission is missing."""
    try:
        answers = await asyncio.gather(*(_answer(kube, item) for item in sorted(set(questions))))
    except Forbidden as error:
        return (), (Unread("access reviews", error.message, GRANT),)
    return tuple(answers), ()


async def _answer(kube: Kube, question: Question) -> JsonObject:
    namespace, _, name = question.account.partition("/")
    plural, _, subresource = question.resource.partition("/")
    resource, _, group = plural.partition(".")
    found = await kube.subject_access_review(
        f"system:serviceaccount:{namespace}:{name}",
        (_ACCOUNTS, f"{_ACCOUNTS}:{namespace}", "system:authenticated"),
        AccessAttributes(
            verb=question.verb, resource=resource, group=group, subresource=subresource
        ),
    )
    return {
        "apiVersion": "bridgehead.dev/v1",
        "kind": "AccessAnswer",
        "status": {
            "account": question.account,
            "verb": question.verb,
            "resource": question.resource,
            "allowed": found.allowed,
        },
    }
