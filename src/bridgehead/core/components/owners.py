"""Who else writes an object: an operator, Helm or a GitOps tool, from the marks they leave."""

from collections.abc import Mapping

from bridgehead.core.model.component import Owner
from bridgehead.core.model.json import JsonObject, children, text, texts

_FLUX_KINDS = (
    ("kustomize.toolkit.fluxcd.io", "Kustomization"),
    ("helm.toolkit.fluxcd.io", "HelmRelease"),
)


def owners_of(metadata: JsonObject) -> tuple[Owner, ...]:
    """All owners that the object's metadata tells of, operators first."""
    labels = texts(metadata, "labels")
    annotations = texts(metadata, "annotations")
    found = (
        *_operators(metadata),
        *_helm(labels, annotations),
        *_argo(labels, annotations),
        *_flux(labels),
    )
    if not any(owner.kind == "gitops" for owner in found):
        found = (*found, *_appliers(metadata))
    return tuple(dict.fromkeys(found))


_APPLIERS = {
    "argocd-controller": "Argo CD",
    "kustomize-controller": "Flux kustomize-controller",
    "helm-controller": "Flux helm-controller",
}
"""Field managers of GitOps tools.

Sources: https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/#server-side-apply,
https://fluxcd.io/flux/components/kustomize/kustomizations/ (server-side apply)
"""


def _appliers(metadata: JsonObject) -> tuple[Owner, ...]:
    """A tool that tracks its objects elsewhere than in their labels still signs its writes."""
    managers = [text(entry, "manager") for entry in children(metadata, "managedFields")]
    return tuple(
        Owner("gitops", f"{tool}, by its field manager {manager}")
        for manager, tool in _APPLIERS.items()
        if manager in managers
    )


def _operators(metadata: JsonObject) -> tuple[Owner, ...]:
    """A controlling owner reference: whoever wrote it reconciles the object."""
    return tuple(
        Owner("operator", f"{text(ref, 'kind')}/{text(ref, 'name')}")
        for ref in children(metadata, "ownerReferences")
        if ref.get("controller") is True
    )


def _helm(labels: Mapping[str, str], annotations: Mapping[str, str]) -> tuple[Owner, ...]:
    """Helm 3.2 and later write the annotations; charts by convention write the label.

    Without the annotation the release is only guessed from ``app.kubernetes.io/instance``.
    Source: https://helm.sh/docs/chart_best_practices/labels/
    """
    release = annotations.get("meta.helm.sh/release-name", "")
    if not release and labels.get("app.kubernetes.io/managed-by") != "Helm":
        return ()
    namespace = annotations.get("meta.helm.sh/release-namespace", "")
    name = release or labels.get("app.kubernetes.io/instance", "")
    return (Owner("helm", f"{namespace}/{name}" if namespace else name),)


def _argo(labels: Mapping[str, str], annotations: Mapping[str, str]) -> tuple[Owner, ...]:
    """Argo CD's tracking id is ``APPLICATION:GROUP/KIND:NAMESPACE/NAME``; its label is older.

    Source: https://argo-cd.readthedocs.io/en/stable/user-guide/resource_tracking/
    """
    application = annotations.get("argocd.argoproj.io/tracking-id", "").partition(":")[0]
    application = application or labels.get("argocd.argoproj.io/instance", "")
    return (Owner("gitops", f"Argo CD application {application}"),) if application else ()


def _flux(labels: Mapping[str, str]) -> tuple[Owner, ...]:
    """Flux labels what it applies with the name and namespace of the object that asked for it.

    Source: https://fluxcd.io/flux/components/kustomize/kustomizations/
    """
    kinds = {
        "kustomize.toolkit.fluxcd.io": "Kustomization",
        "helm.toolkit.fluxcd.io": "HelmRelease",
    }
    found = []
    for domain, kind in kinds.items():
        name = labels.get(f"{domain}/name", "")
        namespace = labels.get(f"{domain}/namespace", "")
        if name:
            found.append(Owner("gitops", f"Flux {kind} {namespace}/{name}".replace(" /", " ")))
    return tuple(found)
