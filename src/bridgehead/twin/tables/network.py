"""Rows of services and of what belongs to them."""

from collections.abc import Iterator
from typing import Any

from bridgehead.twin.objects import Object, at, fields, items, name_of, text
from bridgehead.twin.tables.cells import NONE, UNSET, age, labels, selector_or_none, some, word


def service(obj: Object, now: float) -> list[Any]:
    """Source: ``printService``."""
    addresses = items(obj, "spec", "clusterIPs")
    return [
        name_of(obj),
        word(obj, "spec", "type"),
        addresses[0] if addresses else NONE,
        _external(obj),
        ",".join(_port(port) for port in items(obj, "spec", "ports")) or NONE,
        age(obj, now),
        labels(fields(obj, "spec", "selector")),
    ]


def endpoints(obj: Object, now: float) -> list[Any]:
    """Source: ``printEndpoints``."""
    told = NONE
    if items(obj, "subsets"):
        told = some(_subset_addresses(obj), 3)
    return [name_of(obj), told, age(obj, now)]


def endpoint_slice(obj: Object, now: float) -> list[Any]:
    """Source: ``printEndpointSlice``."""
    ports = [str(port.get("port") or port.get("name") or "*") for port in items(obj, "ports")]
    addresses = [entry for item in items(obj, "endpoints") for entry in items(item, "addresses")]
    return [
        name_of(obj),
        word(obj, "addressType"),
        some(ports, 3) or UNSET,
        some(addresses, 3) or UNSET,
        age(obj, now),
    ]


def ingress(obj: Object, now: float) -> list[Any]:
    """Source: ``printIngress``."""
    hosts = [rule["host"] for rule in items(obj, "spec", "rules") if rule.get("host")]
    return [
        name_of(obj),
        word(obj, "spec", "ingressClassName", missing=NONE),
        some(hosts, 3) or "*",
        _balancer(obj),
        "80, 443" if items(obj, "spec", "tls") else "80",
        age(obj, now),
    ]


def ingress_class(obj: Object, now: float) -> list[Any]:
    """Source: ``printIngressClass``."""
    name = name_of(obj)
    default = "ingressclass.kubernetes.io/is-default-class"
    if text(obj, "metadata", "annotations", default) == "true":
        name += " (default)"
    parameters = NONE
    if (found := at(obj, "spec", "parameters")) is not None:
        group = f".{found['apiGroup']}" if found.get("apiGroup") else ""
        parameters = f"{found.get('kind', '')}{group}/{found.get('name', '')}"
    return [name, word(obj, "spec", "controller"), parameters, age(obj, now)]


def network_policy(obj: Object, now: float) -> list[Any]:
    """Source: ``printNetworkPolicy``."""
    return [
        name_of(obj),
        selector_or_none(at(obj, "spec", "podSelector")),
        age(obj, now),
    ]


def service_cidr(obj: Object, now: float) -> list[Any]:
    """Source: ``printServiceCIDR``."""
    return [name_of(obj), ",".join(items(obj, "spec", "cidrs")), age(obj, now)]


def ip_address(obj: Object, now: float) -> list[Any]:
    """Source: ``printIPAddress``, which gives one cell more than there are columns."""
    parent, told = at(obj, "spec", "parentRef"), NONE
    if parent is not None:
        resource, group = text(parent, "resource"), text(parent, "group")
        told = (f"{resource}.{group}" if group else resource).lower()
        told = "/".join(filter(None, (told, text(parent, "namespace"), text(parent, "name"))))
    return [name_of(obj), told, age(obj, now)]


def _external(obj: Object) -> str:
    own = ",".join(items(obj, "spec", "externalIPs"))
    match text(obj, "spec", "type"):
        case "ClusterIP" | "NodePort":
            return own or NONE
        case "LoadBalancer":
            return ",".join(filter(None, (_balancer(obj), own))) or "<pending>"
        case "ExternalName":
            return text(obj, "spec", "externalName")
        case _:
            return "<unknown>"


def _balancer(obj: Object) -> str:
    found = items(obj, "status", "loadBalancer", "ingress")
    return ",".join(sorted({item.get("ip") or item.get("hostname") or "" for item in found} - {""}))


def _port(port: Object) -> str:
    node_port = f":{port['nodePort']}" if port.get("nodePort") else ""
    return f"{port['port']}{node_port}/{port.get('protocol', 'TCP')}"


def _subset_addresses(obj: Object) -> Iterator[str]:
    for subset in items(obj, "subsets"):
        addresses = [entry["ip"] for entry in items(subset, "addresses")]
        ports = items(subset, "ports")
        if not ports:
            yield from addresses
        for port in ports:
            for address in addresses:
                host = f"[{address}]" if ":" in address else address
                yield f"{host}:{port['port']}"
