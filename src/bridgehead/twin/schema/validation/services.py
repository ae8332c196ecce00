"""Services.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, validateService.
"""

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import (
    Causes,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from bridgehead.twin.schema.validation.metadata import label_causes
from bridgehead.twin.schema.validation.names import (
    dns_label,
    dns_subdomain,
    port_name,
    port_number,
)

_TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_AFFINITIES = ("ClientIP", "None")
_PROTOCOLS = ("SCTP", "TCP", "UDP")


def service_causes(obj: Object) -> Causes:
    """What is wrong with a Service's spec."""
    spec = obj["spec"]
    kind, ports = spec.get("type"), spec.get("ports") or ()
    headless = spec.get("clusterIP") == "None"
    if not ports and not headless and kind != "ExternalName":
        yield required("spec.ports")
    if kind in {"LoadBalancer", "NodePort"} and headless:
        detail = f"may not be set to 'None' for {kind} services"
        yield invalid("spec.clusterIPs[0]", "None", detail)
    if kind == "ExternalName":
        name = (spec.get("externalName") or "").removesuffix(".")
        if not name:
            yield required("spec.externalName")
        else:
            for message in dns_subdomain(name):
                yield invalid("spec.externalName", name, message)
    yield from _port_causes(spec)
    yield from label_causes(spec.get("selector"), "spec.selector")
    if (affinity := spec.get("sessionAffinity")) not in _AFFINITIES:
        yield not_supported("spec.sessionAffinity", affinity, _AFFINITIES)
    if kind not in _TYPES:
        yield not_supported("spec.type", kind, _TYPES)
    yield from _unique_port_causes(spec)


def service_update_causes(obj: Object, old: Object) -> Causes:
    """What may not change of a Service: its address, while it has one."""
    spec, before = obj["spec"], old["spec"]
    if "ExternalName" in {spec.get("type"), before.get("type")}:
        return
    addresses, known = spec.get("clusterIPs") or [], before.get("clusterIPs") or []
    if known and addresses[:1] != known[:1]:
        yield invalid("spec.clusterIPs[0]", addresses, "may not change once set")


def _port_causes(spec: Object) -> Causes:
    names: set[str] = set()
    ports = spec.get("ports") or ()
    for number, port in enumerate(ports):
        place = f"spec.ports[{number}]"
        if name := port.get("name"):
            for message in dns_label(name):
                yield invalid(f"{place}.name", name, message)
            if name in names:
                yield duplicate(f"{place}.name", name)
            names.add(name)
        elif len(ports) > 1:
            yield required(f"{place}.name")
        for message in port_number(port.get("port")):
            yield invalid(f"{place}.port", port.get("port"), message)
        if port.get("protocol") not in _PROTOCOLS:
            yield not_supported(f"{place}.protocol", port.get("protocol"), _PROTOCOLS)
        target = port.get("targetPort")
        messages = port_name(target) if isinstance(target, str) else port_number(target)
        for message in messages:
            yield invalid(f"{place}.targetPort", target, message)


def _unique_port_causes(spec: Object) -> Causes:
    ports = spec.get("ports") or ()
    for number, port in enumerate(ports):
        if spec.get("type") == "ClusterIP" and port.get("nodePort"):
            detail = "may not be used when `type` is 'ClusterIP'"
            yield forbidden(f"spec.ports[{number}].nodePort", detail)
    seen: set[tuple[str, int]] = set()
    for number, port in enumerate(ports):
        if not port.get("nodePort"):
            continue
        if (key := (port["protocol"], port["nodePort"])) in seen:
            yield duplicate(f"spec.ports[{number}].nodePort", port["nodePort"])
        seen.add(key)
    seen.clear()
    for number, port in enumerate(ports):
        key = (port["protocol"], port.get("port") or 0)
        if key in seen:
            # The server shows a port of its internal type, every field of it.
            shown = {
                "Name": "",
                "Protocol": key[0],
                "AppProtocol": None,
                "Port": key[1],
                "TargetPort": 0,
                "NodePort": 0,
            }
            yield duplicate(f"spec.ports[{number}]", shown)
        seen.add(key)
