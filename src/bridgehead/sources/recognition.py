"""What a document is, told by what is in it and never by its file's name."""

from collections.abc import Mapping

from bridgehead.core.model.json import JsonValue, text

SPEC = "a bridgehead spec"
_OURS = "bridgehead.dev/"
_KUSTOMIZE = "kustomize.config.k8s.io/"


def what_else(value: JsonValue) -> str | None:
    """What a document is that is no Kubernetes object; None for an object or a list of them."""
    if not isinstance(value, Mapping):
        return "no Kubernetes object"
    kind, version = text(value, "kind"), text(value, "apiVersion")
    if version.startswith(_OURS):
        return SPEC if kind == "Rollout" else f"a {kind or 'document'} of bridgehead"
    if text(value, "schema").startswith(_OURS):
        return "an output of bridgehead (a recorded state goes with --from)"
    if version.startswith(_KUSTOMIZE) or (kind == "Kustomization" and not version):
        return "a part of a kustomization"
    if (version, kind) == ("v1", "Config"):
        return "a kubeconfig"
    if kind and version:
        return None
    if "component" in value and "change" in value:
        return SPEC
    if "variant" in value and "version" in value:
        return "a Butane configuration"
    if isinstance(value.get("ignition"), Mapping):
        return "an Ignition configuration"
    return "no Kubernetes object"


def broken_object(value: JsonValue) -> str:
    """Why a document that means to be an object is none; empty for all others."""
    if not isinstance(value, Mapping) or not isinstance(value.get("metadata"), Mapping):
        return ""
    kind, version = text(value, "kind"), text(value, "apiVersion")
    if bool(kind) == bool(version):
        return ""
    missing, there = ("apiVersion", kind) if kind else ("kind", version)
    return f"{there} without {missing}: it cannot be told which object this is, and it was not read"
