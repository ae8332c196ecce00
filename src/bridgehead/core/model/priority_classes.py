"""Priority classes that every cluster has."""

BUILT_IN = frozenset({"system-node-critical", "system-cluster-critical"})
"""Made by the API server itself. Source:
https://kubernetes.io/docs/concepts/scheduling-eviction/pod-priority-preemption/"""
