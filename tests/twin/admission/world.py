"""A namespace to write into, through admission and nothing else."""

from bridgehead.twin.admission.admission import Admission
from bridgehead.twin.clock import Clock
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kind, Kinds
from bridgehead.twin.objects import Object
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.store import Store
from tests.twin.virtually import START

NAMESPACE = "n"


class World:
    """Needs a running loop."""

    def __init__(self, seed: int = 1) -> None:
        self.kinds, self.store, identifiers = Kinds(builtin_kinds()), Store(), Identifiers(seed)
        clock = Clock(start=START)
        admit = Admission(self.kinds, self.store, clock, identifiers)
        self.registry = Registry(self.kinds, self.store, clock, identifiers, admit)
        self.create("", "namespaces", {"metadata": {"name": NAMESPACE}})
        self.create("", "serviceaccounts", {"metadata": {"name": "default"}})

    def kind(self, group: str, plural: str) -> Kind:
        return self.kinds.named(group, plural)

    def create(
        self, group: str, plural: str, obj: Object, *, namespace: str = NAMESPACE, user: str = "u"
    ) -> Object:
        kind = self.kind(group, plural)
        inside = namespace if kind.namespaced else ""
        return self.registry.create(kind, obj, namespace=inside, user=user)

    def update(
        self, group: str, plural: str, obj: Object, *, subresource: str = "", user: str = "u"
    ) -> Object:
        kind = self.kind(group, plural)
        return self.registry.update(kind, obj, subresource=subresource, user=user)

    def pod(self, **spec: object) -> Object:
        """A new pod of one container."""
        spec = {"containers": [{"name": "a", "image": "a"}], **spec}
        return self.create("", "pods", {"metadata": {"name": "p"}, "spec": spec})
