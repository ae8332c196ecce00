"""What the API says of the kinds that it serves: piece by piece, or all at once.

Sources: k8s.io/apiserver/pkg/endpoints/discovery and .../discovery/aggregated (1.37).
"""

import base64
import hashlib

from bridgehead.twin.kinds import Kind, Kinds, Subresource
from bridgehead.twin.objects import Object

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
"""The content type of everything at once."""


def core_versions(address: str) -> Object:
    """The answer to ``/api``. ``address``: where the server is reached."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
    }


def group_list(kinds: Kinds) -> Object:
    """The answer to ``/apis``."""
    groups = [_group(name, versions) for name, versions in _versions(kinds).items() if name]
    return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}


def group(kinds: Kinds, name: str) -> Object | None:
    """The answer to ``/apis/GROUP``; None where there is no such group."""
    versions = _versions(kinds).get(name) if name else None
    if versions is None:
        return None
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, versions)}


def resource_list(kinds: Kinds, group_name: str, version: str) -> Object | None:
    """The answer to ``/apis/GROUP/VERSION``; None where there is no such version."""
    found = [kind for kind in kinds if (kind.group, kind.version) == (group_name, version)]
    if not found:
        return None
    resources: list[Object] = []
    for kind in sorted(found, key=lambda kind: kind.plural):
        resources.append(_resource(kind))
        resources.extend(_part(kind, part) for part in _parts(kind))
    listed: Object = {"kind": "APIResourceList"}
    if group_name:
        listed["apiVersion"] = "v1"
    return {**listed, "groupVersion": found[0].api_version, "resources": resources}


def aggregated(kinds: Kinds, *, core: bool) -> Object:
    """All groups with all that is in them: the core group, or all but that."""
    items: list[Object] = []
    for name, versions in _versions(kinds).items():
        if (name == "") is not core:
            continue
        items.append(
            {
                "metadata": {"name": name} if name else {},
                "versions": [_version(kinds, name, version) for version in versions],
            }
        )
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    }


def _versions(kinds: Kinds) -> dict[str, list[str]]:
    """The versions of each group, the preferred one first."""
    found: dict[str, list[str]] = {}
    for kind in kinds:
        versions = found.setdefault(kind.group, [])
        if kind.version not in versions:
            versions.append(kind.version)
    return found


def _group(name: str, versions: list[str]) -> Object:
    told = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": told, "preferredVersion": told[0]}


def _resource(kind: Kind) -> Object:
    return {
        "name": kind.plural,
        "singularName": kind.singular,
        "namespaced": kind.namespaced,
        "kind": kind.kind,
        "verbs": list(kind.verbs),
        **({"shortNames": list(kind.short_names)} if kind.short_names else {}),
        **({"categories": list(kind.categories)} if kind.categories else {}),
        **({"storageVersionHash": told} if (told := _storage_hash(kind)) else {}),
    }


def _storage_hash(kind: Kind) -> str:
    """In which form objects are stored; what cannot be stored has none.

    Source: k8s.io/apiserver/pkg/endpoints/discovery/storageversionhash.go
    """
    if not kind.custom:
        return kind.storage_hash
    digest = hashlib.sha256(f"{kind.api_version}/{kind.kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()


def _part(kind: Kind, part: Subresource) -> Object:
    told: Object = {
        "name": f"{kind.plural}/{part.name}",
        "singularName": "",
        "namespaced": kind.namespaced,
    }
    if part.version:
        told |= {"group": part.group, "version": part.version}
    return {**told, "kind": part.kind, "verbs": list(part.verbs)}


def _parts(kind: Kind) -> list[Subresource]:
    return sorted(kind.subresources, key=lambda part: part.name)


def _version(kinds: Kinds, group_name: str, version: str) -> Object:
    found = [kind for kind in kinds if (kind.group, kind.version) == (group_name, version)]
    found.sort(key=lambda kind: kind.plural)
    return {
        "version": version,
        "resources": [_aggregated(kind) for kind in found],
        "freshness": "Current",
    }


def _aggregated(kind: Kind) -> Object:
    own_group, own_version = (kind.group, kind.version) if kind.custom else ("", "")
    told: Object = {
        "resource": kind.plural,
        "responseKind": {"group": own_group, "version": own_version, "kind": kind.kind},
        "scope": "Namespaced" if kind.namespaced else "Cluster",
        "singularResource": kind.singular,
        "verbs": list(kind.verbs),
    }
    if kind.short_names:
        told["shortNames"] = list(kind.short_names)
    if kind.categories:
        told["categories"] = list(kind.categories)
    if parts := _parts(kind):
        told["subresources"] = [
            {
                "subresource": part.name,
                "responseKind": {
                    "group": part.group or own_group,
                    "version": part.version or own_version,
                    "kind": part.kind,
                },
                "verbs": list(part.verbs),
            }
            for part in parts
        ]
    return told
