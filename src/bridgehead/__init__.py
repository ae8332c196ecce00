"""bridgehead takes a change of the accelerator stack over a Kubernetes cluster, node by node."""

__version__ = "0.1.0.dev0"
