"""The twin: a simulated cluster behind a Kubernetes API.

Everything that a rollout touches is there: an API server with the semantics of a real one, the
controllers of workloads, a scheduler, and on every node a kubelet with its device manager. What it
does not simulate is listed in ``docs/limits.md``. Its behaviour is that of Kubernetes 1.37; where
it differs from the real cluster of the test bed in a scenario, the twin is wrong.
"""
