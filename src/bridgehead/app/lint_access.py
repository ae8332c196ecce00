"""What lint asks about the service accounts of plugins that are clients of the API server."""

from collections.abc import Iterable, Iterator

import msgspec

from bridgehead.cluster.evidence_access import Question, access_answers
from bridgehead.core.components.family import family_of
from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.json import children, text
from bridgehead.kube.client import Kube
from bridgehead.sources.lintable import Unit


async def with_access(kube: Kube, observed: Observed, units: Iterable[Unit]) -> Observed:
    """The same, with answers about what the plugins' accounts may do. Raises KubeError."""
    questions = [item for unit in units for item in _questions(unit)]
    answers, unread = await access_answers(kube, questions)
    return msgspec.structs.replace(
        observed,
        objects={**observed.objects, "AccessAnswer": answers},
        met=observed.met if unread else observed.met | {Need.ACCESS},
        unread=(*observed.unread, *unread),
    )


def _questions(unit: Unit) -> Iterator[Question]:
    """Not about accounts that get their rights from the manifests: those are not there yet."""
    bound = {account for item in unit.manifests for account in _bound(item)}
    for plugin in Linted(manifests=unit.manifests).plugins:
        name = text(plugin.template, "spec", "serviceAccountName") or "default"
        account = f"{plugin.ref.namespace}/{name}"
        if plugin.ref.namespace and account not in bound:
            for verb, resource in family_of(plugin.template).rights:
                yield Question(account, verb, resource)


def _bound(item: Manifest) -> Iterator[str]:
    """Accounts that a binding among the manifests gives rights to."""
    if item.kind in {"RoleBinding", "ClusterRoleBinding"}:
        for subject in children(item.data, "subjects"):
            if text(subject, "kind") == "ServiceAccount":
                namespace = text(subject, "namespace") or item.ref.namespace
                yield f"{namespace}/{text(subject, 'name')}"
