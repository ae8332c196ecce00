"""What a path below ``/api`` and ``/apis`` names.

Source: k8s.io/apiserver/pkg/endpoints/request/requestinfo.go (1.37).
"""

import msgspec

_OF_NAMESPACES = frozenset({"status", "finalize"})
"""What follows a namespace's own name without naming a resource within it."""


class Address(msgspec.Struct, frozen=True, kw_only=True):
    """A resource of a group version, one object of it, or a part of that object."""

    group: str
    version: str
    namespace: str = ""
    plural: str = ""
    """Empty for the group version itself."""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    """What follows the subresource, as in a proxy's path."""
    watch: bool = False
    """Whether the old way to ask for a watch is used: ``/api/v1/watch/pods``."""


def address_of(path: str) -> Address | None:
    """The address that a path spells; None for a path that is none, such as ``/version``."""
    parts = [part for part in path.split("/") if part]
    match parts:
        case ["api", version, *parts]:
            group = ""
        case ["apis", group, version, *parts]:
            pass
        case _:
            return None
    watch = bool(parts) and parts[0] == "watch"
    if watch:
        parts = parts[1:]
    namespace = ""
    if len(parts) > 1 and parts[0] == "namespaces":
        namespace = parts[1]
        if len(parts) > 2 and parts[2] not in _OF_NAMESPACES:
            parts = parts[2:]
    plural, name, subresource = [*parts[:3], "", "", ""][:3]
    return Address(
        group=group,
        version=version,
        namespace=namespace,
        plural=plural,
        name=name,
        subresource=subresource,
        rest="/".join(parts[3:]),
        watch=watch,
    )
