"""Every pod has a service account that exists, and its token mounted.

Source: k8s.io/kubernetes/plugin/pkg/admission/serviceaccount/admission.go.
"""

from typing import Any

from bridgehead.twin.errors import forbidden
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kind, Stored
from bridgehead.twin.objects import Object, name_of, namespace_of
from bridgehead.twin.store import Store

_ACCOUNTS = Stored("", "serviceaccounts")
_VOLUME = "kube-api-access-"
_MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount"
_TOKEN_SECONDS = 3607
"""Such an odd life says that the token may be used longer, with a warning."""

_MIRROR = "kubernetes.io/config.mirror"


def admit_service_account(kind: Kind, pod: Object, store: Store, identifiers: Identifiers) -> None:
    """Fill in account, token volume and pull secrets of a new pod. Raises ApiError 403."""
    spec, namespace = pod["spec"], namespace_of(pod)
    if _MIRROR in (pod["metadata"].get("annotations") or {}):
        return
    if not spec.get("serviceAccountName"):
        spec["serviceAccountName"] = spec["serviceAccount"] = "default"
    name = spec["serviceAccountName"]
    account = store.get(_ACCOUNTS, namespace, name)
    if account is None:
        raise forbidden(
            kind,
            name_of(pod),
            f"error looking up service account {namespace}/{name}: "
            f'serviceaccount "{name}" not found',
        )
    if _mounts(account, spec):
        _mount(spec, identifiers)
    if not spec.get("imagePullSecrets") and (secrets := account.get("imagePullSecrets")):
        spec["imagePullSecrets"] = [{"name": secret["name"]} for secret in secrets]


def _mounts(account: Object, spec: Object) -> bool:
    for asked in (spec, account):
        if (wanted := asked.get("automountServiceAccountToken")) is not None:
            return bool(wanted)
    return True


def _mount(spec: Object, identifiers: Identifiers) -> None:
    volumes: list[Object] = spec.get("volumes") or []
    names = [volume["name"] for volume in volumes if volume["name"].startswith(_VOLUME)]
    name = names[0] if names else f"{_VOLUME}{identifiers.suffix()}"
    needed = False
    for key in ("initContainers", "containers"):
        for container in spec.get(key) or ():
            mounts = container.get("volumeMounts") or []
            if any(mount.get("mountPath") == _MOUNT_PATH for mount in mounts):
                continue
            mount = {"name": name, "readOnly": True, "mountPath": _MOUNT_PATH}
            container["volumeMounts"] = [*mounts, mount]
            needed = True
    if needed and not names:
        spec["volumes"] = [*volumes, {"name": name, "projected": _token_volume()}]


def _token_volume() -> dict[str, Any]:
    reference = {"apiVersion": "v1", "fieldPath": "metadata.namespace"}
    return {
        "sources": [
            {"serviceAccountToken": {"expirationSeconds": _TOKEN_SECONDS, "path": "token"}},
            {
                "configMap": {
                    "name": "kube-root-ca.crt",
                    "items": [{"key": "ca.crt", "path": "ca.crt"}],
                }
            },
            {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": reference}]}},
        ],
        "defaultMode": 0o644,
    }
