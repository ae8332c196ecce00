"""What service accounts may do, asked of the API server: reviews, which it answers and forgets."""

import asyncio
from collections.abc import Collection

from bridgehead.core.components.account_rights import AccessQuestion
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.access import AccessAttributes
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import ApiError, Forbidden

GRANT = "create subjectaccessreviews.authorization.k8s.io"
_ACCOUNTS = "system:serviceaccounts"


async def access_answers(
    kube: Kube, questions: Collection[AccessQuestion]
) -> tuple[tuple[JsonObject, ...], tuple[Unread, ...]]:
    """An ``AccessAnswer`` for each question; or none, and why: mostly a permission is missing."""
    try:
        answers = await asyncio.gather(*(_answer(kube, item) for item in sorted(set(questions))))
    except Forbidden as error:
        return (), (Unread("access reviews", error.message, GRANT),)
    except ApiError as error:
        return (), (Unread("access reviews", error.message),)
    return tuple(answers), ()


async def _answer(kube: Kube, question: AccessQuestion) -> JsonObject:
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
        "metadata": {
            "namespace": namespace,
            "name": f"{name}:{question.verb}:{question.resource}",
        },
        "status": {
            "account": question.account,
            "verb": question.verb,
            "resource": question.resource,
            "allowed": found.allowed,
        },
    }
