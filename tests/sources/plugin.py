"""A plugin's DaemonSet as a text."""

SURGE = """\
apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: plugin
spec:
  selector: {matchLabels: {app: plugin}}
  updateStrategy:
    rollingUpdate:
      maxSurge: 1
  template:
    metadata: {labels: {app: plugin}}
    spec:
      containers:
        - name: plugin
          image: registry.example/plugin:1
          volumeMounts: [{name: dir, mountPath: /var/lib/kubelet/device-plugins}]
      volumes: [{name: dir, hostPath: {path: /var/lib/kubelet/device-plugins}}]
"""
