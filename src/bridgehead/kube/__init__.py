"""Our Kubernetes client: kubeconfig and credentials, requests, partial objects, watch, errors.

It is our own because measurements said so: the client has to read 50,000 pods in seconds, pass
every authentication case that `kubectl` passes, and never send an anonymous request by accident.
It imports nothing else of bridgehead. Files and the environment are read in `kube.config` only.

Where to start: `kube.config.load_config`, `kube.client.Kube`, `kube.resources`, `kube.watch`.
"""
