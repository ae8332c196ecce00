"""What the levels of pod security forbid, one check each, in the words of the real server.

Source: k8s.io/pod-security-admission/policy/check_*.go, the newest version of each.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from bridgehead.twin.admission.defaults.containers import CONTAINER_LISTS
from bridgehead.twin.objects import Object

_DEFAULT_CAPABILITIES = frozenset(
    {
        *("AUDIT_WRITE", "CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "KILL", "MKNOD"),
        *("NET_BIND_SERVICE", "SETFCAP", "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"),
    }
)

_FREE_VOLUMES = frozenset(
    {
        *("configMap", "csi", "downwardAPI", "emptyDir", "ephemeral", "image"),
        *("persistentVolumeClaim", "projected", "secret"),
    }
)

_SECCOMP = ("RuntimeDefault", "Localhost")


class Violation(NamedTuple):
    """Why a pod is not allowed."""

    reason: str
    detail: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.detail})" if self.detail else self.reason


Check = Callable[[Object], Violation | None]
"""Looks at a pod's spec."""


def _containers(spec: Object) -> list[Object]:
    return [container for key in CONTAINER_LISTS for container in spec.get(key) or ()]


def _context(value: Object) -> Object:
    found: Object = value.get("securityContext") or {}
    return found


def _named(spec: Object, is_bad: Callable[[Object], Any]) -> list[str]:
    return [container["name"] for container in _containers(spec) if is_bad(container)]


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _plural(singular: str, count: int) -> str:
    return singular if count == 1 else f"{singular}s"


def _told(what: str, names: Sequence[str]) -> str:
    return f"{_plural(what, len(names))} {_quoted(names)}"


def _setters(*, pod: bool, containers: Sequence[str]) -> list[str]:
    return [*(["pod"] if pod else []), *([_told("container", containers)] if containers else [])]


def _capabilities_baseline(spec: Object) -> Violation | None:
    added: set[str] = set()

    def is_bad(container: Object) -> bool:
        wanted = (_context(container).get("capabilities") or {}).get("add") or ()
        forbidden = {item for item in wanted if item not in _DEFAULT_CAPABILITIES}
        added.update(forbidden)
        return bool(forbidden)

    if not (bad := _named(spec, is_bad)):
        return None
    return Violation(
        "non-default capabilities",
        f"{_told('container', bad)} must not include {_quoted(sorted(added))} in "
        "securityContext.capabilities.add",
    )


def _host_namespaces(spec: Object) -> Violation | None:
    used = [f"{key}=true" for key in ("hostNetwork", "hostPID", "hostIPC") if spec.get(key)]
    return Violation("host namespaces", ", ".join(used)) if used else None


def _host_path_volumes(spec: Object) -> Violation | None:
    volumes = spec.get("volumes") or ()
    bad = [volume["name"] for volume in volumes if volume.get("hostPath") is not None]
    return Violation("hostPath volumes", _told("volume", bad)) if bad else None


def _host_ports(spec: Object) -> Violation | None:
    used: set[str] = set()

    def is_bad(container: Object) -> bool:
        ports = {str(port["hostPort"]) for port in container.get("ports") or () if _host(port)}
        used.update(ports)
        return bool(ports)

    if not (bad := _named(spec, is_bad)):
        return None
    verb = "uses" if len(bad) == 1 else "use"
    ports = f"{_plural('hostPort', len(used))} {', '.join(sorted(used))}"
    return Violation("hostPort", f"{_told('container', bad)} {verb} {ports}")


def _host(port: Object) -> bool:
    return bool(port.get("hostPort"))


def _host_probes(spec: Object) -> Violation | None:
    hosts: set[str] = set()

    def is_bad(container: Object) -> bool:
        handlers = [
            *(container.get(key) for key in ("livenessProbe", "readinessProbe", "startupProbe")),
            *((container.get("lifecycle") or {}).get(key) for key in ("postStart", "preStop")),
        ]
        actions = ((item or {}).get(key) for item in handlers for key in ("httpGet", "tcpSocket"))
        found = {action["host"] for action in actions if action and action.get("host")}
        hosts.update(found)
        return bool(found)

    if not (bad := _named(spec, is_bad)):
        return None
    verb = "uses" if len(bad) == 1 else "use"
    told = f"{_plural('probe or lifecycle host', len(hosts))} {_quoted(sorted(hosts))}"
    return Violation("probe or lifecycle host", f"{_told('container', sorted(bad))} {verb} {told}")


def _privileged(spec: Object) -> Violation | None:
    bad = _named(spec, lambda container: _context(container).get("privileged"))
    if not bad:
        return None
    detail = f"{_told('container', bad)} must not set securityContext.privileged=true"
    return Violation("privileged", detail)


def _seccomp_of(value: Object) -> str | None:
    profile = _context(value).get("seccompProfile")
    return None if profile is None else str(profile.get("type") or "")


def _seccomp_baseline(spec: Object) -> Violation | None:
    values: set[str] = set()

    def is_bad(value: Object) -> bool:
        kind = _seccomp_of(value)
        if kind is None or kind in _SECCOMP:
            return False
        values.add(kind)
        return True

    setters = _setters(pod=is_bad(spec), containers=_named(spec, is_bad))
    if not setters:
        return None
    return Violation(
        "seccompProfile",
        f"{' and '.join(setters)} must not set securityContext.seccompProfile.type to "
        f"{_quoted(sorted(values))}",
    )


def _seccomp_restricted(spec: Object) -> Violation | None:
    if (violation := _seccomp_baseline(spec)) is not None:
        return violation
    if _seccomp_of(spec) is not None:
        return None
    bad = _named(spec, lambda container: _seccomp_of(container) is None)
    if not bad:
        return None
    return Violation(
        "seccompProfile",
        f"pod or {_told('container', bad)} must set securityContext.seccompProfile.type to "
        '"RuntimeDefault" or "Localhost"',
    )


def _escalation(spec: Object) -> Violation | None:
    bad = _named(
        spec, lambda container: _context(container).get("allowPrivilegeEscalation") is not False
    )
    if not bad:
        return None
    detail = f"{_told('container', bad)} must set securityContext.allowPrivilegeEscalation=false"
    return Violation("allowPrivilegeEscalation != false", detail)


def _capabilities_restricted(spec: Object) -> Violation | None:
    added: set[str] = set()

    def keeps_some(container: Object) -> bool:
        return "ALL" not in ((_context(container).get("capabilities") or {}).get("drop") or ())

    def adds(container: Object) -> bool:
        wanted = (_context(container).get("capabilities") or {}).get("add") or ()
        forbidden = {item for item in wanted if item != "NET_BIND_SERVICE"}
        added.update(forbidden)
        return bool(forbidden)

    details: list[str] = []
    if bad := _named(spec, keeps_some):
        told = _told("container", bad)
        details.append(f'{told} must set securityContext.capabilities.drop=["ALL"]')
    if bad := _named(spec, adds):
        details.append(
            f"{_told('container', bad)} must not include {_quoted(sorted(added))} in "
            "securityContext.capabilities.add"
        )
    return Violation("unrestricted capabilities", "; ".join(details)) if details else None


def _restricted_volumes(spec: Object) -> Violation | None:
    bad: list[str] = []
    kinds: set[str] = set()
    for volume in spec.get("volumes") or ():
        sources = [key for key in volume if key != "name"]
        if not _FREE_VOLUMES.intersection(sources):
            bad.append(volume["name"])
            kinds.add(sources[0] if sources else "unknown")
    if not bad:
        return None
    verb = "uses" if len(bad) == 1 else "use"
    told = f"{_plural('restricted volume type', len(kinds))} {_quoted(sorted(kinds))}"
    return Violation("restricted volume types", f"{_told('volume', bad)} {verb} {told}")


def _run_as_non_root(spec: Object) -> Violation | None:
    if spec.get("hostUsers") is False:
        return None
    own = _context(spec).get("runAsNonRoot")
    explicit = _named(spec, lambda container: _context(container).get("runAsNonRoot") is False)
    if setters := _setters(pod=own is False, containers=explicit):
        detail = f"{' and '.join(setters)} must not set securityContext.runAsNonRoot=false"
        return Violation("runAsNonRoot != true", detail)
    if own:
        return None
    bad = _named(spec, lambda container: _context(container).get("runAsNonRoot") is None)
    if not bad:
        return None
    detail = f"pod or {_told('container', bad)} must set securityContext.runAsNonRoot=true"
    return Violation("runAsNonRoot != true", detail)


def _run_as_user(spec: Object) -> Violation | None:
    if spec.get("hostUsers") is False:
        return None
    bad = _named(spec, lambda container: _context(container).get("runAsUser") == 0)
    setters = _setters(pod=_context(spec).get("runAsUser") == 0, containers=bad)
    if not setters:
        return None
    return Violation("runAsUser=0", f"{' and '.join(setters)} must not set runAsUser=0")


BASELINE: Sequence[Check] = (
    _capabilities_baseline,
    _host_namespaces,
    _host_path_volumes,
    _host_ports,
    _host_probes,
    _privileged,
    _seccomp_baseline,
)
"""What keeps a pod from the node's own."""

RESTRICTED: Sequence[Check] = (
    _host_namespaces,
    _host_ports,
    _host_probes,
    _privileged,
    _escalation,
    _capabilities_restricted,
    _restricted_volumes,
    _run_as_non_root,
    _run_as_user,
    _seccomp_restricted,
)
"""The same with stricter checks in the place of some, and with those of hardened pods."""

SINCE: Mapping[Check, int] = {_host_probes: 34}
"""The minor version from which a check is one; all others are older than anybody asks for."""
