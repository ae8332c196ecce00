"""What lint asks about accounts of plugins that are clients of the API server."""

from typing import cast

from bridgehead.app.lint_access import with_access
from bridgehead.app.observing import observed_from
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.kube.access import AccessAttributes, AccessResult
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden, Request
from bridgehead.sources.lintable import Unit
from bridgehead.sources.positions import manifests_in

PLUGIN = """\
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: hami, namespace: devices}
spec:
  template:
    spec:
      serviceAccountName: hami
      containers: [{name: p, image: "projecthami/hami:v2.4.0", command: [nvidia-device-plugin]}]
"""
BINDING = """\
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: hami}
subjects: [{kind: ServiceAccount, name: hami, namespace: devices}]
"""


class Server:
    """Answers reviews: only reading is allowed."""

    def __init__(self, *, forbids: bool = False) -> None:
        self.forbids = forbids
        self.asked: list[tuple[str, str]] = []

    async def subject_access_review(
        self, user: str, groups: tuple[str, ...], question: AccessAttributes
    ) -> AccessResult:
        assert "system:serviceaccounts:devices" in groups
        if self.forbids:
            request = Request("create", "subjectaccessreviews")
            raise Forbidden("you may not ask", request=request, code=403)
        self.asked.append((user, str(question)))
        return AccessResult(allowed=question.verb in {"get", "list"})


async def _seen(server: Server, manifests: str) -> Observed:
    unit = Unit(manifests=manifests_in(manifests, "f"))
    return await with_access(cast("Kube", server), observed_from([], at=0.0), [unit])


async def test_what_the_family_does_is_asked_of_its_account() -> None:
    server = Server()
    seen = await _seen(server, PLUGIN)
    assert ("system:serviceaccount:devices:hami", "patch nodes") in server.asked
    answers = [item["status"] for item in seen.of_kind("AccessAnswer")]
    patch = {"account": "devices/hami", "verb": "patch", "resource": "nodes", "allowed": False}
    assert patch in answers
    assert seen.has(Need.ACCESS)


async def test_an_account_that_the_manifests_give_rights_to_is_not_asked_about() -> None:
    server = Server()
    seen = await _seen(server, PLUGIN + BINDING)
    assert (server.asked, seen.has(Need.ACCESS)) == ([], True)


async def test_a_plugin_that_asks_nothing_of_the_server_is_not_asked_about() -> None:
    server = Server()
    await _seen(server, PLUGIN.replace("projecthami/hami", "nvcr.io/nvidia/k8s-device-plugin"))
    assert server.asked == []


async def test_who_may_not_ask_learns_which_permission_that_is() -> None:
    seen = await _seen(Server(forbids=True), PLUGIN)
    assert not seen.has(Need.ACCESS)
    (unread,) = seen.unread
    assert unread.grant == "create subjectaccessreviews.authorization.k8s.io"
