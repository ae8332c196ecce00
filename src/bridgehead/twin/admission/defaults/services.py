"""Defaults of Services.

Source: k8s.io/kubernetes/pkg/apis/core/v1/defaults.go, SetDefaults_Service.
"""

from bridgehead.twin.objects import Object

_STICKY_SECONDS = 10800

_EXTERNAL = frozenset({"NodePort", "LoadBalancer"})


def default_service(obj: Object) -> None:
    """Fill in a Service, without its addresses."""
    spec = obj.setdefault("spec", {})
    affinity = spec["sessionAffinity"] = spec.get("sessionAffinity") or "None"
    if affinity == "None":
        spec.pop("sessionAffinityConfig", None)
    elif affinity == "ClientIP":
        config = spec.setdefault("sessionAffinityConfig", {}).setdefault("clientIP", {})
        config.setdefault("timeoutSeconds", _STICKY_SECONDS)
    kind = spec["type"] = spec.get("type") or "ClusterIP"
    for port in spec.get("ports") or ():
        port["protocol"] = port.get("protocol") or "TCP"
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port")
    external = kind in _EXTERNAL or (kind == "ClusterIP" and bool(spec.get("externalIPs")))
    if external and not spec.get("externalTrafficPolicy"):
        spec["externalTrafficPolicy"] = "Cluster"
    if kind in {"ClusterIP", *_EXTERNAL}:
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if kind == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
        for ingress in ((obj.get("status") or {}).get("loadBalancer") or {}).get("ingress") or ():
            if ingress.get("ip"):
                ingress.setdefault("ipMode", "VIP")
