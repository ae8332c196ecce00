"""The device manager of a kubelet, and what plugins and it say to each other.

Source: k8s.io/kubernetes/pkg/kubelet/cm/devicemanager (1.37).
"""
