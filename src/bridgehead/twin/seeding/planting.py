"""Puts a seed into a fresh twin, before its parts begin to work: they find everything settled."""

from collections.abc import Sequence
from typing import Any

from bridgehead.core.model.component import template_digest
from bridgehead.twin.controllers.daemonsets.template import HASH_LABEL
from bridgehead.twin.controllers.owners import controller_reference
from bridgehead.twin.errors import ApiError
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import (
    Object,
    controller_of,
    fields,
    is_deleting,
    labels_of,
    name_of,
    namespace_of,
    text,
    uid_of,
    with_field,
)
from bridgehead.twin.registry import Registry
from bridgehead.twin.seeding import pods as pod_making
from bridgehead.twin.seeding import surroundings
from bridgehead.twin.seeding.machines import node_object
from bridgehead.twin.seeding.recorded import namespaces_of
from bridgehead.twin.seeding.seed import Seed

_OURS = "bridgehead.dev/"
_LAST = ("Namespace", "Node", "DaemonSet", "ControllerRevision", "Pod", "Event", "Lease")
"""Kinds that are planted in a way of their own, or that say nothing about the future."""


def plant(registry: Registry, seed: Seed) -> tuple[str, ...]:
    """Store everything; what could not be taken over, in words for people."""
    planting = _Planting(registry, seed)
    planting.around()
    planting.nodes()
    planting.daemon_sets()
    planting.pods()
    return tuple(planting.left_out)


class _Planting:
    def __init__(self, registry: Registry, seed: Seed) -> None:
        self._registry = registry
        self._seed = seed
        self._stamp = registry.clock.timestamp()
        self._of_kind: dict[str, list[Object]] = {}
        for item in seed.objects:
            self._of_kind.setdefault(text(item, "kind"), []).append(item)
        self._daemon_sets: dict[tuple[str, str], tuple[Object, str]] = {}
        """By namespace and name: as it is stored, and the hash of its template."""
        self.left_out: list[str] = []

    def around(self) -> None:
        """Namespaces and everything else that was recorded, then what is missing of it."""
        names = {*namespaces_of(self._seed.objects), "kube-system"}
        for made in surroundings.namespaces(sorted(names)):
            self._make(made)
        for kind_name, objects in self._of_kind.items():
            if kind_name not in _LAST:
                for item in objects:
                    self._take(item)
        for item in self._all("DaemonSet"):
            for made in surroundings.referred_to(
                namespace_of(item), fields(item, "spec", "template", "spec")
            ):
                self._make(made)
        for item in self._all("Pod"):
            for made in surroundings.referred_to(namespace_of(item), fields(item, "spec")):
                self._make(made)

    def nodes(self) -> None:
        """Nodes, as their kubelets have reported them."""
        kind = self._kind("", "nodes")
        machines = {machine.name: machine for machine in self._seed.machines}
        known = set()
        for item in self._all("Node"):
            known.add(name_of(item))
            whole = node_object(item, machines[name_of(item)], self._stamp)
            self._store(kind, whole, "", status=whole["status"])
        for machine in self._seed.machines:
            if machine.name not in known:
                whole = node_object({"metadata": {"name": machine.name}}, machine, self._stamp)
                self._store(kind, whole, "", status=whole["status"])

    def daemon_sets(self) -> None:
        """DaemonSets with their revisions, so that their pods are of the template that stands."""
        kind = self._kind("apps", "daemonsets")
        for item in self._all("DaemonSet"):
            if is_deleting(item):
                self.left_out.append(f"{_called(item)} was being deleted and was left out")
                continue
            metadata = dict(fields(item, "metadata"))
            metadata["annotations"] = _foreign(fields(metadata, "annotations"))
            for gone in ("ownerReferences", "finalizers"):
                metadata.pop(gone, None)
            body = {**item, "metadata": metadata}
            stored = self._store(kind, body, namespace_of(item))
            if stored is not None:
                self._revisions(kind, item, stored)

    def _revisions(self, kind: Kind, recorded: Object, stored: Object) -> None:
        revision_kind = self._kind("apps", "controllerrevisions")
        standing = template_digest(fields(recorded, "spec", "template"))
        hashed = ""
        for item in self._all("ControllerRevision"):
            if not _belongs(item, recorded):
                continue
            template = dict(fields(item, "data", "spec", "template"))
            template.pop("$patch", None)
            if template_digest(template) == standing:
                hashed = labels_of(item).get(HASH_LABEL, "")
                template = dict(stored["spec"]["template"])
            self._revision(revision_kind, kind, stored, item, template)
        if not hashed and (hashed := self._usual_hash(recorded)):
            name = f"{name_of(recorded)}-{hashed}"
            made = {"metadata": {"name": name, "labels": {HASH_LABEL: hashed}}, "revision": 1}
            template = dict(stored["spec"]["template"])
            self._revision(revision_kind, kind, stored, made, template)
        self._daemon_sets[namespace_of(stored), name_of(stored)] = stored, hashed

    def _revision(
        self, kind: Kind, owner_kind: Kind, owner: Object, recorded: Object, template: Object
    ) -> None:
        # An inventory keeps only the hash of the labels, and by the others its owner knows it.
        labels = {**fields(owner, "spec", "selector", "matchLabels"), **labels_of(recorded)}
        metadata = {
            **fields(recorded, "metadata"),
            "labels": labels,
            "ownerReferences": [controller_reference(owner_kind, owner)],
        }
        # Source: getPatch in pkg/controller/daemon/update.go (1.37).
        data = {"spec": {"template": {**template, "$patch": "replace"}}}
        body = {"metadata": metadata, "revision": recorded.get("revision") or 1, "data": data}
        self._store(kind, body, namespace_of(owner))

    def _usual_hash(self, daemon_set: Object) -> str:
        """The hash that most of its recorded pods carry, where its revision was not recorded."""
        hashes = [
            labels_of(pod).get(HASH_LABEL, "")
            for pod in self._all("Pod")
            if _belongs(pod, daemon_set)
        ]
        return max(sorted(hashes), key=hashes.count, default="")

    def pods(self) -> None:
        """Pods, which run already."""
        kind = self._kind("", "pods")
        recorded = [pod for pod in self._all("Pod") if not is_deleting(pod)]
        references = self._owners(recorded)
        for item in recorded:
            pod = self._pod(item, references)
            if pod is not None:
                chance = self._registry.identifiers.random
                status = pod_making.settled_status(pod, item, self._stamp, chance)
                self._store(kind, pod, namespace_of(item), status=status)

    def _owners(self, recorded: Sequence[Object]) -> dict[surroundings.Owner, list[Object]]:
        """Owner references of pods, by what they are called in the record."""
        found: dict[surroundings.Owner, list[Object]] = {}
        for owner, pods in surroundings.owners(recorded).items():
            made = surroundings.owner_object(owner, pods)
            if made is None:
                kept = {"apiVersion": "recorded.bridgehead.dev/v1", "kind": owner.kind}
                kept |= {"name": owner.name, "uid": self._registry.identifiers.uid()}
                found[owner] = [{**kept, "controller": True}]
                continue
            stored = self._make(made)
            if stored is not None:
                kind = self._kind(made.group, made.plural)
                found[owner] = [controller_reference(kind, stored)]
        return found

    def _pod(
        self, item: Object, references: dict[surroundings.Owner, list[Object]]
    ) -> Object | None:
        controller = controller_of(item)
        if controller is None:
            return pod_making.of_itself(item, [])
        key = (namespace_of(item), text(controller, "name"))
        if text(controller, "kind") == "DaemonSet":
            if not text(item, "spec", "nodeName"):
                return None  # the controller makes it anew
            if key not in self._daemon_sets:
                self.left_out.append(f"{_called(item)} was left out, as its DaemonSet is not there")
                return None
            daemon_set, hashed = self._daemon_sets[key]
            kind = self._kind("apps", "daemonsets")
            return pod_making.of_daemon_set(kind, daemon_set, item, hashed)
        owner = surroundings.Owner(key[0], text(controller, "kind"), key[1])
        return surroundings.marked(pod_making.of_itself(item, references.get(owner, [])), owner)

    # Storing

    def _all(self, kind: str) -> Sequence[Object]:
        return self._of_kind.get(kind, ())

    def _kind(self, group: str, plural: str) -> Kind:
        return self._registry.kinds.named(group, plural)

    def _take(self, item: Object) -> None:
        """Any recorded object, as it is."""
        kind = self._registry.kinds.of(text(item, "apiVersion"), text(item, "kind"))
        if kind is None:
            self.left_out.append(f"{_called(item)}: its kind is not served, so it was left out")
            return
        metadata = {
            key: value
            for key, value in fields(item, "metadata").items()
            if key not in {"ownerReferences", "finalizers"}
        }
        self._store(kind, {**item, "metadata": metadata}, namespace_of(item))

    def _make(self, made: surroundings.Made) -> Object | None:
        """An object that is made up, unless there is one of its name."""
        kind = self._kind(made.group, made.plural)
        found = self._registry.store.get(kind.stored, made.namespace, name_of(made.object))
        return found or self._store(kind, made.object, made.namespace)

    def _store(
        self, kind: Kind, body: Object, namespace: str, *, status: Object | None = None
    ) -> Object | None:
        """Store a whole object as long made; None, and a word about it, where it is not valid."""
        where = namespace if kind.namespaced else ""
        if self._registry.store.get(kind.stored, where, name_of(body)) is not None:
            return None
        try:
            whole = self._registry.create(kind, body, namespace=where, dry_run=True)
        except ApiError as error:
            self.left_out.append(f"{kind.kind} {_called(body)} was left out: {error}")
            return None
        for key in ("creationTimestamp", "generation"):
            if (told := fields(body, "metadata").get(key)) is not None:
                whole = with_field(whole, ("metadata", key), told)
        if kind.stored.plural == "nodes":  # without the taint that a new node gets
            whole = {**whole, "spec": dict(fields(body, "spec"))}
        if status is not None:
            whole = {**whole, "status": status}
        elif "status" in body and kind.stored.plural == "daemonsets":
            whole = {**whole, "status": dict(fields(body, "status"))}
        return self._registry.store.put(kind, whole)


def _belongs(item: Object, daemon_set: Object) -> bool:
    """By the uid of its controller or, in records without uids, by its name."""
    controller = controller_of(item)
    if controller is None or namespace_of(item) != namespace_of(daemon_set):
        return False
    if (uid := uid_of(daemon_set)) and (own := text(controller, "uid")):
        return own == uid
    named = (text(controller, "kind"), text(controller, "name"))
    return named == ("DaemonSet", name_of(daemon_set))


def _foreign(annotations: Any) -> dict[str, Any]:
    return {key: value for key, value in annotations.items() if not key.startswith(_OURS)}


def _called(item: Object) -> str:
    parts = (text(item, "kind"), namespace_of(item), name_of(item))
    return "/".join(part for part in parts if part)
