"""Which permissions a rollout needs, asked for before anything is written.

The questions go to the API server as SelfSubjectAccessReviews, so every authorizer is covered, and
whoever runs the rollout gets all missing permissions at once with the words that grant them.
"""

import hashlib
from collections.abc import Iterable
from typing import Any

import msgspec

from bridgehead.cluster.holds import HoldReader
from bridgehead.core.plan.settings import ComponentRef
from bridgehead.kube.access import AccessAttributes
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Forbidden, NotFound
from bridgehead.kube.resources import (
    CONFIG_MAPS,
    CONTROLLER_REVISIONS,
    DAEMON_SETS,
    EVENTS,
    LEASES,
    NAMESPACES,
    NODES,
    PODS,
    Resource,
)


class Permission(msgspec.Struct, frozen=True):
    """Verbs on one resource, in one namespace or (empty) in the whole cluster, and their reason."""

    verbs: tuple[str, ...]
    resource: str
    group: str
    namespace: str
    why: str
    subresource: str = ""
    where_served: bool = False
    """Whether it is needed only as this cluster has such objects."""
    made: str = ""
    """The one object that is to be made, where making it beforehand does as well."""

    def questions(self) -> tuple[AccessAttributes, ...]:
        """One question for each verb."""
        return tuple(
            AccessAttributes(
                verb=verb,
                resource=self.resource,
                group=self.group,
                subresource=self.subresource,
                namespace=self.namespace,
            )
            for verb in self.verbs
        )

    @property
    def rule(self) -> str:
        """As a rule of a Role or ClusterRole, in YAML."""
        plural = f"{self.resource}/{self.subresource}" if self.subresource else self.resource
        verbs = ", ".join(self.verbs)
        return f'- {{apiGroups: ["{self.group}"], resources: ["{plural}"], verbs: [{verbs}]}}'


class Missing(msgspec.Struct, frozen=True):
    """A permission of which these verbs are missing."""

    permission: Permission

    def __str__(self) -> str:
        item = self.permission
        plural = f"{item.resource}/{item.subresource}" if item.subresource else item.resource
        named = f"{plural}.{item.group}" if item.group else plural
        where = f"in namespace {item.namespace}" if item.namespace else "in the whole cluster"
        return f"{', '.join(item.verbs)} {named} {where}: {item.why}"


def needed(
    component: ComponentRef, state_namespace: str, *, evicts: bool = False
) -> tuple[Permission, ...]:
    """All permissions of a rollout of that component, but that to make the state namespace.

    ``evicts``: it evicts pods that hold devices, which may be in any namespace.
    """
    there, state = component.namespace, state_namespace
    read = ("get", "list", "watch")
    return (
        _of(NODES, (*read, "patch"), "", "see what nodes offer, and cordon those in flight"),
        _of(PODS, ("list", "watch"), "", "see who uses devices, and which pods were refused"),
        _of(NAMESPACES, ("get", "list"), "", "see which exist and which are being deleted"),
        _of(DAEMON_SETS, (*read, "patch"), there, "change the component"),
        _of(CONTROLLER_REVISIONS, ("list", "watch"), there, "tell its revisions apart"),
        _of(
            PODS,
            ("get", "create", "delete"),
            there,
            "replace the component's pods, and test pulls and devices with pods of its own",
        ),
        _of(PODS, ("get",), there, "read the log of new pods", subresource="log"),
        _of(EVENTS, ("list",), there, "say why a pod does not start"),
        _of(
            CONFIG_MAPS,
            (*read, "create", "patch"),
            state,
            "keep the run's journal, and see what people ask of it",
        ),
        _of(LEASES, ("get", "create", "patch"), state, "hold the component's lock"),
        *((_EVICTIONS,) if evicts else ()),
    )


_EVICTIONS = Permission(
    ("create",), PODS.plural, PODS.group, "", "evict pods that hold devices", "eviction"
)


def _of(
    resource: Resource[Any],
    verbs: tuple[str, ...],
    namespace: str,
    why: str,
    *,
    subresource: str = "",
) -> Permission:
    return Permission(verbs, resource.plural, resource.group, namespace, why, subresource)


def new_namespace(name: str) -> Permission:
    """Needed only while the state namespace does not exist."""
    why = f"make the namespace {name} for its state"
    return Permission(("create",), NAMESPACES.plural, NAMESPACES.group, "", why, made=name)


async def missing_permissions(
    kube: Kube, component: ComponentRef, state_namespace: str, *, evicts: bool = False
) -> tuple[Missing, ...]:
    """The permissions that we lack; empty where nothing stands in the way."""
    wanted = [*needed(component, state_namespace, evicts=evicts), *await _to_see_holds(kube)]
    return await lacking(kube, wanted, state_namespace)


async def lacking(
    kube: Kube, permissions: Iterable[Permission], state_namespace: str
) -> tuple[Missing, ...]:
    """Which of these we lack, with that to make the state namespace where it is not there."""
    wanted = list(permissions)
    if not await _exists(kube, state_namespace):
        wanted.append(new_namespace(state_namespace))
    questions = [question for item in wanted for question in item.questions()]
    answers = iter(await kube.can_i(questions))
    found = []
    for item in wanted:
        verbs = tuple(verb for verb in item.verbs if not next(answers).allowed)
        if verbs:
            found.append(Missing(msgspec.structs.replace(item, verbs=verbs)))
    return tuple(found)


async def _to_see_holds(kube: Kube) -> tuple[Permission, ...]:
    """To read what else holds nodes, where there is such a thing."""
    reader = HoldReader(kube)
    await reader.find()
    why = "see which nodes others work on"
    found = (
        *(_of(kind, ("list",), "", why) for kind in reader.kinds),
        *(_of(DAEMON_SETS, ("get",), namespace, why) for namespace, _ in reader.lockers),
    )
    return tuple(msgspec.structs.replace(item, where_served=True) for item in found)


async def _exists(kube: Kube, namespace: str) -> bool:
    """Whether the namespace is known to be there; who may not ask lacks that permission, too."""
    try:
        await kube.get(NAMESPACES, namespace)
    except (NotFound, Forbidden):
        return False
    return True


def complete(
    missing: Iterable[Missing],
    component: ComponentRef,
    state_namespace: str,
    *,
    evicts: bool = False,
) -> tuple[Missing, ...]:
    """All that a rollout needs, and what of the missing is needed once: a namespace to be made.

    Objects are applied whole: ones that held only what is missing would take away what is there.
    """
    once = tuple(item for item in missing if item.permission.made)
    every = tuple(Missing(item) for item in needed(component, state_namespace, evicts=evicts))
    also = tuple(item for item in missing if item.permission.where_served)
    return (*once, *every, *also)


def grant_text(missing: Iterable[Missing], user: str) -> str:
    """Objects, in YAML, that grant these permissions to the user: roles, bindings, a namespace.

    ``user`` is the name that the API server reports; a service account's has its own form. Each
    user's objects have names of their own, so that one grant does not replace another's.
    """
    name = _object_name(user)
    by_namespace: dict[str, list[str]] = {}
    documents = []
    for item in missing:
        if item.permission.made:
            documents.append(_namespace(item.permission.made))
            continue
        by_namespace.setdefault(item.permission.namespace, []).append(item.permission.rule)
    documents += [
        document
        for namespace, rules in sorted(by_namespace.items())
        for document in (_role(name, namespace, rules), _binding(name, namespace, user))
    ]
    return "---\n".join(documents)


def _namespace(name: str) -> str:
    return f"apiVersion: v1\nkind: Namespace\nmetadata: {{name: {name}}}\n"


def _object_name(user: str) -> str:
    """Readable, and of one user only."""
    readable = "".join(char if char.isascii() and char.isalnum() else "-" for char in user.lower())
    mark = hashlib.sha256(user.encode()).hexdigest()[:6]
    return f"bridgehead-{readable[:40].strip('-')}-{mark}"


def _role(name: str, namespace: str, rules: list[str]) -> str:
    listed = "\n".join(f"  {rule}" for rule in rules)
    return f"{_head('Role', name, namespace)}rules:\n{listed}\n"


def _binding(name: str, namespace: str, user: str) -> str:
    kind = "Role" if namespace else "ClusterRole"
    return (
        f"{_head('RoleBinding', name, namespace)}"
        f"roleRef: {{apiGroup: {_RBAC}, kind: {kind}, name: {name}}}\n"
        f"subjects: [{_subject(user)}]\n"
    )


def _subject(user: str) -> str:
    """Source: https://kubernetes.io/docs/reference/access-authn-authz/rbac/#referring-to-subjects"""
    prefix, _, account = user.partition("system:serviceaccount:")
    if not prefix and account.count(":") == 1:
        namespace, name = account.split(":")
        return f"{{kind: ServiceAccount, name: {name}, namespace: {namespace}}}"
    return f'{{apiGroup: {_RBAC}, kind: User, name: "{user}"}}'


_RBAC = "rbac.authorization.k8s.io"


def _head(kind: str, name: str, namespace: str) -> str:
    where = f", namespace: {namespace}" if namespace else ""
    return (
        f"apiVersion: {_RBAC}/v1\n"
        f"kind: {kind if namespace else f'Cluster{kind}'}\n"
        f"metadata: {{name: {name}{where}}}\n"
    )
