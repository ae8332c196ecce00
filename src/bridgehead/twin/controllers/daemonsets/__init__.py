"""DaemonSets: a pod on every node that fits, and the way from one template to the next.

Source: k8s.io/kubernetes/pkg/controller/daemon (Kubernetes 1.37).
"""
