"""Verbs that ask about permissions."""

import asyncio
from collections.abc import Sequence

import msgspec

from bridgehead.kube import access
from bridgehead.kube.access import AccessAttributes, AccessResult, UserInfo
from bridgehead.kube.call import Call, Sender
from bridgehead.kube.decoding import JsonObject, decode
from bridgehead.kube.errors import Request

_REVIEWS_AT_ONCE = 16


class Reviewing:
    """Who am I, and what may I do: the third part of `Kube`."""

    _transport: Sender

    async def self_subject_review(self) -> UserInfo:
        """Who the server takes us for, impersonation included."""
        call = _review(access.SELF_PATH, "selfsubjectreviews", access.self_body())
        body = await self._transport.send(call)
        return decode(body, access.SelfReview, str(call.request)).status.user_info

    async def can_i(self, questions: Sequence[AccessAttributes]) -> tuple[AccessResult, ...]:
        """Answers in the order of the questions."""
        slots = asyncio.Semaphore(_REVIEWS_AT_ONCE)

        async def ask(question: AccessAttributes) -> AccessResult:
            async with slots:
                return await self._access(
                    access.SELF_ACCESS_PATH,
                    "selfsubjectaccessreviews",
                    access.self_access_body(question),
                )

        return tuple(await asyncio.gather(*map(ask, questions)))

    async def subject_access_review(
        self, user: str, groups: tuple[str, ...], question: AccessAttributes
    ) -> AccessResult:
        """Whether somebody else may; a service account is `system:serviceaccount:NS:NAME`."""
        body = access.access_body(user, groups, question)
        return await self._access(access.ACCESS_PATH, "subjectaccessreviews", body)

    async def _access(self, path: str, plural: str, body: JsonObject) -> AccessResult:
        call = _review(path, plural, body)
        return decode(
            await self._transport.send(call), access.AccessReview, str(call.request)
        ).status


def _review(path: str, plural: str, body: JsonObject) -> Call:
    """A review is created but not stored, so it may be sent again."""
    request = Request("create", plural)
    return Call(request, "POST", path, body=msgspec.json.encode(body), repeatable=True)
