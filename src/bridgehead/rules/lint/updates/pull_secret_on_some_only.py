"""Some of one product have the pull secret for its registry, and others have none.

Finds: a device plugin, a driver, toolkit or labeller DaemonSet, or an operand of a ClusterPolicy,
NVIDIADriver or NicClusterPolicy, without a pull secret in template and service account, whose image
comes from the same registry and path as that of another in its namespace that has one. Of public
registries and those of clouds, where nodes have credentials, only a doubt is told.

Why: secrets are not handed on. The operator runs, and the pods that it makes wait with
ErrImagePull; in an update the devices are gone by then. Since 1.35 it does not help that the image
is on the node: the kubelet asks each pod for credentials of its own.

Sure: pull the image without credentials. Registries where all may read, credentials of the nodes or
a webhook that adds secrets make it right; a pod that runs without a secret on an image from there
shows that, where pods were read.

Do: give the secret to each service account or template of the product, and to each operand.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping

from bridgehead.core.components.label_writers import writes_labels
from bridgehead.core.components.operands import operand_of
from bridgehead.core.components.repositories import may_need_no_secret
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation, is_plugin
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.pull_secrets import (
    Puller,
    places_without,
    pullers,
    registry_of,
)
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    every = tuple(pullers(linted))
    with_secret: dict[str, list[Puller]] = defaultdict(list)
    for item in every:
        for place in item.tells:
            with_secret[place].append(item)
    bare = [item for item in every if with_secret and not item.secrets and _judged(item.manifest)]
    pods = linted.cluster.of_kind("Pod") if bare and linted.cluster is not None else ()
    open_to_all = places_without(pods)
    for item in bare:
        if (found := _example(item, with_secret)) and found[0] not in open_to_all:
            yield _told(item, *found)


def _judged(manifest: Manifest) -> bool:
    if manifest.kind == "DaemonSet":
        name, template = manifest.ref.name, manifest.template
        return (
            is_plugin(manifest) or operand_of(name, template) is not None or writes_labels(template)
        )
    return manifest.template_path is None


def _example(item: Puller, with_secret: Mapping[str, list[Puller]]) -> tuple[str, Puller] | None:
    """A place of its images, and one of the same namespace that has a secret for it."""
    for place in item.places:
        for other in with_secret.get(place, ()):
            namespaces = {item.manifest.ref.namespace, other.manifest.ref.namespace} - {""}
            if len(namespaces) <= 1:
                return place, other
    return None


def _told(item: Puller, place: str, other: Puller) -> Violation | Doubt:
    if item.secrets is None:
        return Doubt(why=f"{item.unsure}: {other.name} has one for {place}")
    if may_need_no_secret(registry_of(place)):
        return Doubt(
            why=f"whether {item.places[place]} of {item.name} needs the pull secret that"
            f" {other.name} has: many images of {registry_of(place)} need none"
        )
    names = ", ".join(other.secrets or ())
    return Violation(
        manifest=item.manifest,
        path=item.path,
        message=f"{item.name} has no pull secret for {item.places[place]}, while {other.name}"
        f" pulls from {place} with {names}",
        evidence=(Evidence(other.name, f"imagePullSecrets: {names}"),),
    )


RULE = LintRule(
    name="pull-secret-on-some-only",
    severity=Severity.WARNING,
    confidence=Confidence.MEDIUM,
    references=(
        "intel#1981",
        "gpu-operator#202",
        "https://kubernetes.io/docs/concepts/containers/images/#ensureimagepullcredentialverification",
        "kubernetes-sigs/dra-driver-nvidia-gpu#1045",
    ),
    helped_by=frozenset({Need.SERVICE_ACCOUNTS, Need.PODS}),
    check=_check,
)
