"""The kubelet's socket is mounted as a file, not its directory.

Finds: a device plugin that mounts a .sock file of the kubelet's directories, or one of them with
subPath.

Why: a mounted file is one inode. After a kubelet restart the kubelet listens on a new one, and the
plugin goes on to talk to the dead one.

Sure: works until the first kubelet restart, then the plugin's log says connection refused while
kubelet.sock exists.

Do: mount the whole directory, without subPath.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.kubelet_mounts import Reach, kubelet_mounts
from bridgehead.core.findings.manifest import Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        for item in kubelet_mounts(plugin):
            if item.reach is Reach.SOCKET:
                what, at = f"mounts the file {item.host or item.inside}", item.mount_at
            elif item.sub_path and item.sub_path.endswith(".sock"):
                what, at = f"mounts {item.sub_path} of {item.host} by subPath", item.mount_at
            else:
                continue
            yield Violation(
                manifest=plugin,
                path=at,
                message=f"container {item.container} {what}: "
                "it is another file after a kubelet restart",
            )


RULE = LintRule(
    name="socket-file-mounted",
    severity=Severity.ERROR,
    references=("kubernetes/website PR#42339",),
    check=_check,
)
