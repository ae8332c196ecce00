"""Who owns a DaemonSet, from the marks on it."""

import pytest

from bridgehead.core.components.owners import owners_of
from bridgehead.core.model.component import Owner
from bridgehead.core.model.json import JsonObject

CASES: dict[str, tuple[JsonObject, tuple[Owner, ...]]] = {
    "nothing says so": ({"labels": {"app": "plugin"}}, ()),
    "an operator controls it": (
        {
            "ownerReferences": [
                {"kind": "ClusterPolicy", "name": "gpu", "controller": True},
                {"kind": "ConfigMap", "name": "other"},
            ]
        },
        (Owner("operator", "ClusterPolicy/gpu"),),
    ),
    "Helm's annotations name the release": (
        {
            "labels": {"app.kubernetes.io/managed-by": "Helm"},
            "annotations": {
                "meta.helm.sh/release-name": "nvdp",
                "meta.helm.sh/release-namespace": "gpu",
            },
        },
        (Owner("helm", "gpu/nvdp"),),
    ),
    "Helm's label alone leaves the release to the instance label": (
        {
            "labels": {
                "app.kubernetes.io/managed-by": "Helm",
                "app.kubernetes.io/instance": "nvdp",
            }
        },
        (Owner("helm", "nvdp"),),
    ),
    "managed by something else is not Helm": (
        {"labels": {"app.kubernetes.io/managed-by": "kustomize"}},
        (),
    ),
    "Argo CD's tracking id": (
        {"annotations": {"argocd.argoproj.io/tracking-id": "gpu:apps/DaemonSet:kube-system/dp"}},
        (Owner("gitops", "Argo CD application gpu"),),
    ),
    "Argo CD's label": (
        {"labels": {"argocd.argoproj.io/instance": "gpu"}},
        (Owner("gitops", "Argo CD application gpu"),),
    ),
    "Flux through a HelmRelease shows both": (
        {
            "labels": {
                "app.kubernetes.io/managed-by": "Helm",
                "helm.toolkit.fluxcd.io/name": "dp",
                "helm.toolkit.fluxcd.io/namespace": "flux-system",
            },
            "annotations": {"meta.helm.sh/release-name": "dp"},
        },
        (Owner("helm", "dp"), Owner("gitops", "Flux HelmRelease flux-system/dp")),
    ),
    "Flux through a Kustomization": (
        {"labels": {"kustomize.toolkit.fluxcd.io/name": "infra"}},
        (Owner("gitops", "Flux Kustomization infra"),),
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_owner_is_read_from_the_marks(case: str) -> None:
    metadata, expected = CASES[case]
    assert owners_of(metadata) == expected


@pytest.mark.parametrize(
    ("manager", "tool"),
    [
        ("argocd-controller", "Argo CD"),
        ("kustomize-controller", "Flux kustomize-controller"),
        ("helm-controller", "Flux helm-controller"),
    ],
)
def test_a_gitops_tool_without_labels_is_known_by_its_field_manager(
    manager: str, tool: str
) -> None:
    metadata = {"managedFields": [{"manager": "kubectl"}, {"manager": manager}]}
    assert owners_of(metadata) == (Owner("gitops", f"{tool}, by its field manager {manager}"),)


def test_a_field_manager_adds_nothing_to_a_label() -> None:
    metadata: JsonObject = {
        "labels": {"argocd.argoproj.io/instance": "plugins"},
        "managedFields": [{"manager": "argocd-controller"}],
    }
    assert owners_of(metadata) == (Owner("gitops", "Argo CD application plugins"),)
