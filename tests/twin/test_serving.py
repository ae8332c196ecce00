"""A served twin: TLS, a token, the loopback; refused is who has no token or a wrong one."""

import base64
import ssl
import time

import aiohttp
import msgspec

from bridgehead.twin.serving import new_token, serving
from bridgehead.twin.twin import Twin


def _twin() -> Twin:
    twin = Twin(start=time.time(), administrator=new_token())
    twin.start()
    return twin


async def test_its_kubeconfig_is_all_that_a_client_needs() -> None:
    async with serving(_twin()) as served:
        config = msgspec.yaml.decode(served.kubeconfig)
        cluster = config["clusters"][0]["cluster"]
        assert cluster["server"] == served.address
        assert served.address.startswith("https://127.0.0.1:")
        authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
        context = ssl.create_default_context(cadata=authority)
        headers = {"Authorization": f"Bearer {config['users'][0]['user']['token']}"}
        connector = aiohttp.TCPConnector(ssl=context)
        async with aiohttp.ClientSession(connector=connector, headers=headers) as session:
            listed = await (await session.get(f"{served.address}/api/v1/namespaces")).json()
        names = [item["metadata"]["name"] for item in listed["items"]]
        assert names == ["default", "kube-node-lease", "kube-public", "kube-system"]


async def test_without_its_token_nothing_but_health_and_version_is_told() -> None:
    async with serving(_twin()) as served:
        connector = aiohttp.TCPConnector(ssl=False)
        async with aiohttp.ClientSession(connector=connector) as session:
            wrong = await session.get(
                f"{served.address}/api/v1/pods", headers={"Authorization": "Bearer administrator"}
            )
            none = await session.get(f"{served.address}/api/v1/pods")
            health = await session.get(f"{served.address}/readyz")
            assert (wrong.status, none.status, health.status) == (401, 403, 200)
            message = (await none.json())["message"]
        assert message == (
            'pods is forbidden: User "system:anonymous" cannot list resource "pods" '
            'in API group "" at the cluster scope'
        )


async def test_two_twins_have_two_tokens() -> None:
    assert new_token() != new_token()
