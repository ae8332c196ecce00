"""CustomResourceDefinitions.

Source: k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation/validation.go.
"""

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import Causes, invalid, not_supported, required

_SCOPES = ("Cluster", "Namespaced")


def definition_causes(obj: Object) -> Causes:
    """What is wrong with a CustomResourceDefinition; its schemas are taken as they are."""
    spec = obj["spec"]
    names, group = spec.get("names") or {}, spec.get("group") or ""
    plural = names.get("plural") or ""
    if (name := obj["metadata"].get("name")) != f"{plural}.{group}":
        detail = 'must be spec.names.plural+"."+spec.group'
        yield invalid("metadata.name", name or "", detail)
    if not group:
        yield required("spec.group")
    if (scope := spec.get("scope") or "") not in _SCOPES:
        yield not_supported("spec.scope", scope, _SCOPES)
    versions = spec.get("versions") or ()
    for number, version in enumerate(versions):
        if not (version.get("schema") or {}).get("openAPIV3Schema"):
            yield required(f"spec.versions[{number}].schema.openAPIV3Schema")
    if sum(bool(version.get("storage")) for version in versions) != 1:
        detail = "must have exactly one version marked as storage version"
        yield invalid("spec.versions", versions, detail)
    for key in ("plural", "kind"):
        if not names.get(key):
            yield required(f"spec.names.{key}")
