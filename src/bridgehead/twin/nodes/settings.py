"""Settings of the kubelets: the fields of a KubeletConfiguration that the twin obeys.

Source: k8s.io/kubelet/config/v1beta1/types.go; defaults of Kubernetes 1.37.
"""

import msgspec


class KubeletSettings(msgspec.Struct, frozen=True, kw_only=True):
    """All in seconds."""

    node_status_update: float = 10.0
    """``nodeStatusUpdateFrequency``: how often a change is looked for and written."""
    node_status_report: float = 300.0
    """``nodeStatusReportFrequency``: how often a status is written that has not changed."""
    lease_duration: float = 40.0
    """``nodeLeaseDurationSeconds``; leases are renewed four times as often."""
    sync: float = 60.0
    """``syncFrequency``: how often a pod is looked at although nothing was heard of it."""
    crash_back_off: float = 10.0
    """First pause before a container that ended is started again."""
    crash_back_off_max: float = 300.0
    """``crashLoopBackOff.maxContainerRestartPeriod``."""
    pull_back_off: float = 10.0
    pull_back_off_max: float = 300.0
