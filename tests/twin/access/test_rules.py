"""What rules allow, what they cover, and who may give them."""

from collections.abc import Iterator

import pytest

from bridgehead.twin.access.rules import Rule, missing
from bridgehead.twin.api.gate import Attributes
from bridgehead.twin.objects import Object
from tests.twin.access.asked import RBAC, binding, by, role, rule, setting, user
from tests.twin.servers import JSON_PATCH, Asked, TwinServer

NAMESPACE = "ai"


@pytest.mark.parametrize(
    ("given", "asked", "allowed"),
    [
        (Rule(verbs=("get",), groups=("",), resources=("pods",)), {"verb": "get"}, True),
        (Rule(verbs=("get",), groups=("",), resources=("pods",)), {"verb": "list"}, False),
        (Rule(verbs=("*",), groups=("*",), resources=("*",)), {"subresource": "log"}, True),
        (Rule(verbs=("*",), groups=("apps",), resources=("*",)), {}, False),
        (Rule(verbs=("*",), groups=("",), resources=("pods",)), {"subresource": "log"}, False),
        (Rule(verbs=("*",), groups=("",), resources=("pods/log",)), {"subresource": "log"}, True),
        (Rule(verbs=("*",), groups=("",), resources=("*/log",)), {"subresource": "log"}, True),
        (Rule(verbs=("*",), groups=("",), resources=("*/log",)), {"subresource": "exec"}, False),
        (Rule(verbs=("*",), groups=("",), resources=("pods",), names=("a",)), {"name": "a"}, True),
        (Rule(verbs=("*",), groups=("",), resources=("pods",), names=("a",)), {}, False),
        (Rule(verbs=("get",), urls=("/api/*",)), {"resource": "", "path": "/api/v1"}, True),
        (Rule(verbs=("get",), urls=("/api/*",)), {"resource": "", "path": "/api"}, False),
        (Rule(verbs=("get",), urls=("*",)), {}, False),
    ],
)
def test_a_rule_allows_what_it_names(given: Rule, asked: dict[str, str], allowed: bool) -> None:
    attributes = Attributes(**{"verb": "get", "resource": "pods", **asked})
    assert given.allows(attributes) is allowed


def test_missing_rights_are_told_by_resource() -> None:
    owned = [Rule(verbs=("get",), groups=("",), resources=("pods",))]
    wanted = [
        Rule(verbs=("get", "list", "watch"), groups=("",), resources=("pods", "nodes")),
        Rule(verbs=("get",), urls=("/x",)),
    ]
    assert [lacking.told() for lacking in missing(owned, wanted)] == [
        '{APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]}',
        '{APIGroups:[""], Resources:["nodes"], Verbs:["get" "list" "watch"]}',
        '{NonResourceURLs:["/x"], Verbs:["get"]}',
    ]


@pytest.fixture
def twin() -> Iterator[TwinServer]:
    server = TwinServer()
    server.ask(Asked("POST", "/api/v1/namespaces", {"metadata": {"name": NAMESPACE}}))
    for request in setting(NAMESPACE):
        assert server.ask(request)[0] == 201
    yield server
    server.close()


ROLES = f"{RBAC}/namespaces/{NAMESPACE}/roles"
BINDINGS = f"{RBAC}/namespaces/{NAMESPACE}/rolebindings"
MAPS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"


def test_bindings_hold_for_users_groups_and_accounts_of_their_namespace(twin: TwinServer) -> None:
    for who in (
        by("bob"),
        by("x", "readers"),
        by(f"system:serviceaccount:{NAMESPACE}:reader"),
    ):
        assert twin.ask(Asked("GET", f"{MAPS}/one", headers=who))[0] == 404
        assert twin.ask(Asked("GET", f"{MAPS}/two", headers=who))[0] == 403
    other = by("system:serviceaccount:default:reader")
    assert twin.ask(Asked("GET", f"{MAPS}/one", headers=other))[0] == 403


def test_a_refusal_names_roles_that_are_not_there(twin: TwinServer) -> None:
    status, answer = twin.ask(Asked("GET", MAPS, headers=by("carl")))
    assert (status, answer["message"]) == (
        403,
        'configmaps is forbidden: User "carl" cannot list resource "configmaps" in API group "" '
        'in the namespace "ai": rbac: RBAC: role.rbac.authorization.k8s.io "missing" not found',
    )
    assert answer["details"] == {"kind": "configmaps"}


def test_an_answer_says_which_binding_allows_it(twin: TwinServer) -> None:
    spec = {"resourceAttributes": {"verb": "get", "resource": "configmaps", "namespace": "ai"}}
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    _, review = twin.ask(Asked("POST", path, {"spec": spec}, headers=by("owner")))
    assert review["status"] == {
        "allowed": True,
        "reason": 'RBAC: allowed by RoleBinding "local/ai" of Role "all-of-it" to User "owner"',
    }


def test_nobody_gives_what_they_do_not_have(twin: TwinServer) -> None:
    more = role("new", rule("core", "pods", "get"))
    status, answer = twin.ask(Asked("POST", ROLES, more, headers=by("bob", "g")))
    assert (status, answer["message"]) == (
        403,
        'roles.rbac.authorization.k8s.io "new" is forbidden: user "bob" (groups=["g" '
        '"system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n'
        '{APIGroups:[""], Resources:["pods"], Verbs:["get"]}',
    )
    own = role("new", rule("core", "configmaps", "get", "one"))
    assert twin.ask(Asked("POST", ROLES, own, headers=by("bob")))[0] == 201
    change: list[Object] = [{"op": "add", "path": "/rules/-", "value": rule("core", "pods", "*")}]
    path = f"{ROLES}/new"
    assert twin.ask(Asked("PATCH", path, change, JSON_PATCH, headers=by("bob")))[0] == 403
    wide = binding("wide", "cluster-admin", user("bob"), kind="ClusterRole")
    assert twin.ask(Asked("POST", BINDINGS, wide, headers=by("bob")))[0] == 403


def test_who_may_escalate_or_bind_gives_anything(twin: TwinServer) -> None:
    group = "rbac.authorization.k8s.io"
    free = role("free", rule(group, "roles clusterroles", "escalate bind"))
    assert twin.ask(Asked("POST", ROLES, free))[0] == 201
    assert twin.ask(Asked("POST", BINDINGS, binding("free", "free", user("bob"))))[0] == 201
    more = role("new", rule("*", "*", "*"))
    assert twin.ask(Asked("POST", ROLES, more, headers=by("bob")))[0] == 201
    wide = binding("wide", "cluster-admin", user("bob"), kind="ClusterRole")
    assert twin.ask(Asked("POST", BINDINGS, wide, headers=by("bob")))[0] == 201


def test_roles_gather_the_rules_of_others(twin: TwinServer) -> None:
    roles = f"{RBAC}/clusterroles"
    part = {
        "metadata": {
            "name": "devices",
            "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"},
        },
        "rules": [rule("devices.example", "cards", "get")],
    }
    assert twin.ask(Asked("POST", roles, part))[0] == 201
    for name in ("view", "edit", "admin"):
        rules = twin.settled(Asked("GET", f"{roles}/{name}"))[1]["rules"]
        assert rule("devices.example", "cards", "get") in rules
    twin.ask(Asked("DELETE", f"{roles}/devices"))
    rules = twin.settled(Asked("GET", f"{roles}/admin"))[1]["rules"]
    assert rule("devices.example", "cards", "get") not in rules
