"""Who a request comes from: tokens, their end, and acting as somebody else."""

import asyncio
from typing import Any

import msgspec

from bridgehead.twin.api.exchange import Answer, Request
from bridgehead.twin.objects import Object
from bridgehead.twin.twin import Twin
from tests.twin.virtually import START, virtually

ACCOUNT = "/api/v1/namespaces/default/serviceaccounts/worker"
WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


class Asking:
    """A twin with an account, and requests to it."""

    def __init__(self) -> None:
        self.twin = Twin(start=START, administrator="the-token")
        self.twin.start()

    async def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        token: str = "the-token",
        **headers: str,
    ) -> tuple[int, Object]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        if token:
            named["authorization"] = f"Bearer {token}"
        content = b"" if body is None else msgspec.json.encode(body)
        request = Request(method=method, path=path, headers=named, body=content)
        answer = await self.twin.api.handle(request)
        assert isinstance(answer, Answer)
        return answer.status, msgspec.json.decode(answer.body)

    async def token(self, seconds: int = 600, **spec: Any) -> str:
        await self.ask("POST", ACCOUNT.rpartition("/")[0], {"metadata": {"name": "worker"}})
        body = {"spec": {"expirationSeconds": seconds, **spec}}
        status, made = await self.ask("POST", f"{ACCOUNT}/token", body)
        assert status == 201, made
        return str(made["status"]["token"])

    async def who(self, token: str) -> tuple[int, Object]:
        status, answer = await self.ask("POST", WHO, {}, token=token)
        return status, answer.get("status", answer)


@virtually
async def test_the_administrator_is_known_by_a_token() -> None:
    _, status = await Asking().who("the-token")
    assert status["userInfo"] == {
        "username": "kubernetes-admin",
        "groups": ["system:masters", "system:authenticated"],
    }


@virtually
async def test_without_a_token_one_may_read_what_everybody_may() -> None:
    asking = Asking()
    assert (await asking.ask("GET", "/version", token=""))[0] == 200
    assert (await asking.ask("GET", "/api/v1/nodes", token=""))[0] == 403
    assert (await asking.ask("GET", "/version", token="another"))[0] == 401


@virtually
async def test_a_token_is_good_until_it_expires() -> None:
    asking = Asking()
    token = await asking.token(seconds=600)
    status, answer = await asking.who(token)
    assert (status, answer["userInfo"]["username"]) == (
        201,
        "system:serviceaccount:default:worker",
    )
    assert answer["userInfo"]["groups"] == [
        "system:serviceaccounts",
        "system:serviceaccounts:default",
        "system:authenticated",
    ]
    await asyncio.sleep(599)
    assert (await asking.who(token))[0] == 201
    await asyncio.sleep(1)
    assert (await asking.who(token))[0] == 401


@virtually
async def test_a_token_goes_with_its_account() -> None:
    asking = Asking()
    token = await asking.token()
    await asking.ask("DELETE", ACCOUNT)
    assert (await asking.who(token))[0] == 401
    await asking.ask("POST", ACCOUNT.rpartition("/")[0], {"metadata": {"name": "worker"}})
    assert (await asking.who(token))[0] == 401


@virtually
async def test_a_token_goes_with_what_it_is_bound_to() -> None:
    asking = Asking()
    secrets = "/api/v1/namespaces/default/secrets"
    await asking.ask("POST", secrets, {"metadata": {"name": "s"}})
    bound = {"kind": "Secret", "apiVersion": "v1", "name": "s"}
    token = await asking.token(boundObjectRef=bound)
    assert (await asking.who(token))[0] == 201
    await asking.ask("DELETE", f"{secrets}/s")
    assert (await asking.who(token))[0] == 401


@virtually
async def test_a_token_for_others_does_not_open_the_api() -> None:
    asking = Asking()
    token = await asking.token(audiences=["elsewhere"])
    assert (await asking.who(token))[0] == 401
    body = {"spec": {"token": token, "audiences": ["elsewhere", "here"]}}
    _, review = await asking.ask("POST", "/apis/authentication.k8s.io/v1/tokenreviews", body)
    assert review["status"]["authenticated"]
    assert review["status"]["audiences"] == ["elsewhere"]


@virtually
async def test_a_changed_token_is_not_good() -> None:
    asking = Asking()
    token = await asking.token()
    head, claims, signature = token.split(".")
    for changed in (f"{head}.{claims}x.{signature}", f"{head}.{claims}.", claims, "a.b.c"):
        assert (await asking.who(changed))[0] == 401


@virtually
async def test_another_twin_does_not_take_a_token() -> None:
    token = await Asking().token()
    other = Asking()
    other.twin = Twin(start=START, administrator="another-token")
    other.twin.start()
    assert (await other.who(token))[0] == 401


@virtually
async def test_the_administrator_acts_as_anybody() -> None:
    _, answer = await Asking().ask(
        "POST",
        WHO,
        {},
        impersonate_user="jane",
        impersonate_uid="7",
        impersonate_extra_team="x",
    )
    assert answer["status"]["userInfo"] == {
        "username": "jane",
        "uid": "7",
        "groups": ["system:authenticated"],
        "extra": {"team": ["x"]},
    }


@virtually
async def test_others_act_as_nobody_unless_they_may() -> None:
    asking = Asking()
    token = await asking.token()
    path = "/api/v1/namespaces/default/pods"
    status, answer = await asking.ask("GET", path, token=token, impersonate_user="jane")
    assert (status, answer["message"]) == (
        403,
        'pods is forbidden: User "system:serviceaccount:default:worker" cannot '
        'impersonate-on:user-info:list resource "pods" in API group "" in the namespace "default"',
    )


@virtually
async def test_groups_need_a_user() -> None:
    status, answer = await Asking().ask("GET", "/version", impersonate_group="g")
    assert (status, answer["message"]) == (
        400,
        'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, '
        "Extra:map[string][]string(nil)} without impersonating a user name",
    )
