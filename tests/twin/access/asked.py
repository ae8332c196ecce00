"""Requests of users with and without rights, for a real API server and for the twin."""

from collections.abc import Iterator
from typing import Any

from tests.twin.servers import APPLY_PATCH, JSON_PATCH, Asked

Object = dict[str, Any]

GROUP = "rbac.authorization.k8s.io"
RBAC = f"/apis/{GROUP}/v1"
AUTHORIZATION = "/apis/authorization.k8s.io/v1"
AUTHENTICATION = "/apis/authentication.k8s.io/v1"


def role(name: str, *rules: Object) -> Object:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Role",
        "metadata": {"name": name},
        "rules": list(rules),
    }


def rule(groups: str, resources: str, verbs: str, *names: str) -> Object:
    """Each list as words; ``core`` for the group without a name."""
    listed = [group.replace("core", "") for group in groups.split()]
    made: Object = {"apiGroups": listed, "resources": resources.split(), "verbs": verbs.split()}
    return {**made, **({"resourceNames": list(names)} if names else {})}


def binding(name: str, of: str, *subjects: Object, kind: str = "Role") -> Object:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "RoleBinding",
        "metadata": {"name": name},
        "roleRef": {"apiGroup": GROUP, "kind": kind, "name": of},
        "subjects": list(subjects),
    }


def user(name: str) -> Object:
    return {"apiGroup": GROUP, "kind": "User", "name": name}


def group(name: str) -> Object:
    return {"apiGroup": GROUP, "kind": "Group", "name": name}


def account(name: str) -> Object:
    return {"kind": "ServiceAccount", "name": name}


def setting(namespace: str) -> Iterator[Asked]:
    """What is there before anything is asked."""
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    for name in ("reader", "actor"):
        body = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": name}}
        yield Asked("POST", accounts, body)
    roles = f"{RBAC}/namespaces/{namespace}/roles"
    bindings = f"{RBAC}/namespaces/{namespace}/rolebindings"
    yield Asked(
        "POST",
        roles,
        role(
            "some",
            rule("core", "configmaps", "get list", "one"),
            rule("core", "pods/log */status", "get"),
            rule(GROUP, "roles rolebindings", "create update patch get"),
        ),
    )
    yield Asked("POST", roles, role("all-of-it", rule("*", "*", "*")))
    yield Asked(
        "POST",
        roles,
        role(
            "acting",
            rule("authentication.k8s.io", "users groups", "impersonate:user-info", "jane", "dev"),
            rule("core apps", "configmaps deployments", "impersonate-on:user-info:list"),
            rule("core", "serviceaccounts", "impersonate", "reader"),
        ),
    )
    subjects = (user("bob"), account("reader"), group("readers"))
    yield Asked("POST", bindings, binding("some", "some", *subjects))
    yield Asked("POST", bindings, binding("acting", "acting", account("actor"), user("bob")))
    yield Asked("POST", bindings, binding("local", "all-of-it", user("owner")))
    yield Asked("POST", bindings, binding("edits", "edit", user("eve"), kind="ClusterRole"))
    yield Asked("POST", bindings, binding("binds", "missing", user("carl")))


def by(name: str, *groups: str) -> tuple[tuple[str, str], ...]:
    """Headers that make a request somebody else's."""
    return (("Impersonate-User", name), *(("Impersonate-Group", each) for each in groups))


def denials(namespace: str) -> Iterator[Asked]:
    """Requests that the rules forbid, or not."""
    here = f"/api/v1/namespaces/{namespace}"
    for who in ("jane", "bob", "eve", "carl", f"system:serviceaccount:{namespace}:reader"):
        for path in (
            f"{here}/configmaps/one",
            f"{here}/configmaps/two",
            f"{here}/pods",
            f"{here}/pods/p/log",
            f"{here}/pods/p/status",
            "/api/v1/nodes",
            "/apis/apps/v1/deployments",
            "/metrics",
            "/readyz",
        ):
            yield Asked("GET", path, headers=by(who))
    yield Asked("GET", f"{here}/configmaps/one", headers=by("x", "readers", "others"))
    yield Asked("DELETE", f"{here}/configmaps", headers=by("jane"))
    yield Asked("GET", f"{here}/configmaps", query=(("watch", "1"),), headers=by("jane"))
    yield Asked("GET", "/api/v1/namespaces/<b>/pods", headers=by("a&b"))
    scale = {"spec": {"replicas": 1}}
    path = f"/apis/apps/v1/namespaces/{namespace}/deployments/d/scale"
    yield Asked("PATCH", path, scale, "application/merge-patch+json", headers=by("jane"))
    for token in ("", "wrong"):
        yield Asked("GET", f"{here}/pods", token=token)


def grants(namespace: str) -> Iterator[Asked]:
    """Writes of roles by those who may write them, but not give what they do not have."""
    roles = f"{RBAC}/namespaces/{namespace}/roles"
    bindings = f"{RBAC}/namespaces/{namespace}/rolebindings"
    one = role("new", rule("core", "configmaps", "list get", "one"))
    more = role("new", rule("core apps", "pods configmaps", "get list"), rule("apps", "x", "get"))
    for body in (one, more, role("new"), role("new", rule("core", "pods/log", "get", "a", "b"))):
        yield Asked("POST", roles, body, headers=by("bob", "g"))
    change = [{"op": "add", "path": "/rules/-", "value": rule("core", "secrets", "*")}]
    yield Asked("PATCH", f"{roles}/some", change, JSON_PATCH, headers=by("bob"))
    yield Asked("PATCH", f"{roles}/some", change, JSON_PATCH, headers=by("owner"))
    applied = {**role("fresh", rule("core", "nodes", "get"))}
    path, manager = f"{roles}/fresh", (("fieldManager", "m"),)
    yield Asked("PATCH", path, applied, APPLY_PATCH, manager, headers=by("bob"))
    for of, kind in (("some", "Role"), ("missing", "Role"), ("view", "ClusterRole")):
        yield Asked("POST", bindings, binding("up", of, user("bob"), kind=kind), headers=by("bob"))
    yield Asked("POST", bindings, binding("wide", "some", user("x")), headers=by("carl"))
    yield Asked("POST", bindings, binding("own", "all-of-it", user("x")), headers=by("owner"))


def reviews(namespace: str) -> Iterator[Asked]:
    """All kinds of reviews, good ones and others."""
    resource = {"verb": "get", "resource": "configmaps", "namespace": namespace, "name": "one"}
    specs: tuple[Object, ...] = (
        {"resourceAttributes": resource},
        {"resourceAttributes": {**resource, "name": "two"}},
        {"resourceAttributes": {**resource, "resource": "pods", "subresource": "status"}},
        {"resourceAttributes": {"verb": "*", "group": "*", "resource": "*"}},
        {"nonResourceAttributes": {"path": "/api", "verb": "get"}},
        {"nonResourceAttributes": {"path": "/metrics", "verb": "get"}},
        {},
        {"nonResourceAttributes": {"path": "/x", "verb": "get"}, "resourceAttributes": {}},
    )
    for spec in specs:
        for who in ("jane", "bob", "carl", "owner", "eve"):
            headers = by(who, "g")
            yield Asked(
                "POST", f"{AUTHORIZATION}/selfsubjectaccessreviews", _of(spec), headers=headers
            )
        for whom in ({"user": "bob"}, {"groups": ["readers"]}, {"user": "x", "uid": "7"}, {}):
            yield Asked("POST", f"{AUTHORIZATION}/subjectaccessreviews", _of({**spec, **whom}))
            local = f"{AUTHORIZATION}/namespaces/{namespace}/localsubjectaccessreviews"
            yield Asked("POST", local, _of({**spec, **whom}))
    named = {**_of(specs[0]), "metadata": {"labels": {"a": "b"}}}
    yield Asked("POST", f"{AUTHORIZATION}/selfsubjectaccessreviews", named)
    for who in ("jane", "bob", "carl"):
        rules = f"{AUTHORIZATION}/selfsubjectrulesreviews"
        yield Asked("POST", rules, _of({"namespace": namespace}), headers=by(who))
        yield Asked("POST", f"{AUTHENTICATION}/selfsubjectreviews", {}, headers=by(who, "a", "b"))
    extra = (("Impersonate-Extra-Some.Key", "v"), ("Impersonate-Uid", "7"))
    yield Asked("POST", f"{AUTHENTICATION}/selfsubjectreviews", {}, headers=(*by("x"), *extra))
    anonymous = by("system:anonymous")
    yield Asked("POST", f"{AUTHENTICATION}/selfsubjectreviews", {}, headers=anonymous)
    for spec in ({}, {"token": "wrong"}, {"token": "a.b.c", "audiences": ["x"]}):
        yield Asked("POST", f"{AUTHENTICATION}/tokenreviews", _of(spec))
    yield Asked("GET", f"{AUTHENTICATION}/tokenreviews")


def tokens(namespace: str) -> Iterator[Asked]:
    """Requests of tokens."""
    accounts = f"/api/v1/namespaces/{namespace}/serviceaccounts"
    nowhere = {"kind": "Pod", "apiVersion": "v1", "name": "nowhere"}
    bodies: tuple[Object, ...] = (
        {},
        _of({"expirationSeconds": 900, "audiences": ["a", "b"]}),
        _of({"expirationSeconds": 5}),
        _of({"expirationSeconds": 1 << 33}),
        _of({"boundObjectRef": nowhere}),
        _of({"boundObjectRef": {**nowhere, "kind": "Thing"}}),
        _of({"boundObjectRef": {**nowhere, "apiVersion": "apps/v1"}}),
        {"metadata": {"name": "other"}},
        {"metadata": {"uid": "other"}},
    )
    for body in bodies:
        yield Asked("POST", f"{accounts}/reader/token", body)
    yield Asked("POST", f"{accounts}/nobody/token", {})
    yield Asked("POST", f"{accounts}/reader/token", {}, headers=by("jane"))


def _of(spec: Object) -> Object:
    return {"spec": spec}
