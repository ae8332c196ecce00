"""Addresses and ports that services get.

Source: k8s.io/kubernetes/pkg/registry/core/service/storage/alloc.go; an IPv4 range only, as the
server's default.
"""

from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object
from bridgehead.twin.store import Store

_SERVICES = Stored("", "services")
_RANGE = "10.0.0"
"""10.0.0.0/24: the default of ``--service-cluster-ip-range``."""

_FIRST_PORT, _LAST_PORT = 30000, 32767
"""The default of ``--service-node-port-range``."""


def allocate(service: Object, store: Store, identifiers: Identifiers) -> None:
    """Give a new or changed service, a private copy, what its type needs."""
    spec = service["spec"]
    if spec.get("type") == "ExternalName":
        return
    _allocate_address(spec, store, identifiers)
    if spec.get("type") in {"NodePort", "LoadBalancer"}:
        _allocate_ports(spec, store, identifiers)


def keep_addresses(service: Object, old: Object) -> None:
    """An update that says nothing of addresses and ports keeps those of before."""
    spec, before = service["spec"], old["spec"]
    if "ExternalName" in {spec.get("type"), before.get("type")}:
        return
    for key in ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"):
        if not spec.get(key) and before.get(key):
            spec[key] = before[key]
    known = {
        (port.get("port"), port.get("protocol")): port.get("nodePort")
        for port in before.get("ports") or ()
    }
    if spec.get("type") in {"NodePort", "LoadBalancer"}:
        for port in spec.get("ports") or ():
            number = known.get((port.get("port"), port.get("protocol")))
            if not port.get("nodePort") and number:
                port["nodePort"] = number


def _allocate_address(spec: Object, store: Store, identifiers: Identifiers) -> None:
    if not spec.get("clusterIP"):
        taken = {item["spec"].get("clusterIP") for item in store.select(_SERVICES)}
        free = [address for last in range(2, 255) if (address := f"{_RANGE}.{last}") not in taken]
        spec["clusterIP"] = identifiers.random.choice(free) if free else ""
    spec.setdefault("clusterIPs", [spec["clusterIP"]])
    is_free = spec["clusterIP"] == "None" and not spec.get("selector")
    if is_free and spec.get("ipFamilyPolicy") != "SingleStack":
        spec.setdefault("ipFamilies", ["IPv4", "IPv6"])
        spec.setdefault("ipFamilyPolicy", "RequireDualStack")
    else:
        spec.setdefault("ipFamilies", ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "SingleStack")


def _allocate_ports(spec: Object, store: Store, identifiers: Identifiers) -> None:
    taken = {
        port.get("nodePort")
        for item in store.select(_SERVICES)
        for port in item["spec"].get("ports") or ()
    }
    for port in spec.get("ports") or ():
        while not port.get("nodePort"):
            number = identifiers.random.randint(_FIRST_PORT, _LAST_PORT)
            if number not in taken:
                port["nodePort"] = number
        taken.add(port["nodePort"])
