"""The device-plugins directory has another path inside the container than on the host.

Finds: a device plugin that mounts device-plugins from the host at another path.

Why: it can work, since a plugin announces only the file name of its socket there. It hides
mistakes: a plugin whose path is compiled in writes its socket beside the mount.

Sure: the plugin's log names the socket that it serves; that path must lie in the mount.

Do: mount the directory at the same path inside and outside.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import DEVICE_PLUGINS, Reach, kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        for item in kubelet_mounts(plugin):
            # Of another directory device-plugins-dir-relocated says that it is the wrong one.
            if item.reach is Reach.DEVICE_PLUGINS and item.host == DEVICE_PLUGINS != item.inside:
                yield Violation(
                    manifest=plugin,
                    path=(*item.mount_at, "mountPath"),
                    message=f"{item.host} of the host is {item.inside} in container "
                    f"{item.container}: a plugin with a fixed path would miss it",
                    remedy=f"set mountPath to {item.host}",
                )


RULE = LintRule(
    name="socket-path-differs",
    severity=Severity.WARNING,
    references=("rdma#96",),
    check=_check,
)
