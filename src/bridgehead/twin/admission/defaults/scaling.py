"""Defaults of HorizontalPodAutoscalers.

Source: k8s.io/kubernetes/pkg/apis/autoscaling/v2/defaults.go.
"""

from bridgehead.twin.objects import Object

_BY_CPU = {
    "type": "Resource",
    "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
}


def default_autoscaler(obj: Object) -> None:
    """Fill in an autoscaler of ``autoscaling/v2``; ``v1`` says its target in another field."""
    spec = obj.setdefault("spec", {})
    spec.setdefault("minReplicas", 1)
    if obj.get("apiVersion") != "autoscaling/v2":
        return
    if not spec.get("metrics"):
        spec["metrics"] = [_BY_CPU]
    if (behavior := spec.get("behavior")) is None:
        return
    percent = {"type": "Percent", "value": 100, "periodSeconds": 15}
    for key, rules in (
        (
            "scaleUp",
            {
                "stabilizationWindowSeconds": 0,
                "selectPolicy": "Max",
                "policies": [{"type": "Pods", "value": 4, "periodSeconds": 15}, percent],
            },
        ),
        ("scaleDown", {"selectPolicy": "Max", "policies": [percent]}),
    ):
        behavior[key] = {**rules, **(behavior.get(key) or {})}
