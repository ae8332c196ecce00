"""What lint asks about the service accounts of plugins that are clients of the API server."""

from collections.abc import Iterable, Iterator

from bridgehead.app.access_answers import with_answers
from bridgehead.core.components.account_rights import (
    AccessQuestion,
    account_of,
    questions_about,
)
from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.json import children, text
from bridgehead.kube.client import Kube
from bridgehead.sources.lintable import Unit


async def with_access(kube: Kube, observed: Observed, units: Iterable[Unit]) -> Observed:
    """The same, with answers about what the plugins' accounts may do. Raises KubeError."""
    return await with_answers(kube, observed, [item for unit in units for item in _questions(unit)])


def _questions(unit: Unit) -> Iterator[AccessQuestion]:
    """Not about accounts that get their rights from the manifests: those are not there yet."""
    bound = {account for item in unit.manifests for account in _bound(item)}
    for plugin in Linted(manifests=unit.manifests).plugins:
        namespace = plugin.ref.namespace
        if namespace and account_of(namespace, plugin.template) not in bound:
            yield from questions_about(namespace, plugin.template)


def _bound(item: Manifest) -> Iterator[str]:
    """Accounts that a binding among the manifests gives rights to."""
    if item.kind in {"RoleBinding", "ClusterRoleBinding"}:
        for subject in children(item.data, "subjects"):
            if text(subject, "kind") == "ServiceAccount":
                namespace = text(subject, "namespace") or item.ref.namespace
                yield f"{namespace}/{text(subject, 'name')}"
