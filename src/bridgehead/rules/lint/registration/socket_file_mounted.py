"""The kubelet's socket is mounted as a file, not its directory.

Finds: a device plugin that mounts a .sock file of the kubelet's directories, or with subPath
anything of the device-plugins directory but the directory itself.

Why: a mounted file is one inode. After a kubelet restart the kubelet listens on a new one, and the
plugin goes on to talk to the dead one. In a folder below device-plugins no kubelet looks for
sockets, and kubelet.sock is not there.

Sure: works until the first kubelet restart, then the plugin's log says connection refused while
kubelet.sock exists. A subPath of /var/lib/kubelet that leads to the whole directory is right, and
so is a folder of plugins_registry, which the kubelet looks into.

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
            if item.reach not in (Reach.SOCKET, Reach.BELOW):
                continue
            of = f"{item.sub_path} of {item.volume_path} by subPath"
            if item.reach is Reach.BELOW:
                said = f"mounts {of}: the kubelet's socket is not in it"
            else:
                what = of if item.sub_path else f"the file {item.host or item.inside}"
                said = f"mounts {what}: it is another file after a kubelet restart"
            yield Violation(
                manifest=plugin,
                path=item.mount_at,
                message=f"container {item.container} {said}",
            )


RULE = LintRule(
    name="socket-file-mounted",
    severity=Severity.ERROR,
    references=("kubernetes/website PR#42339",),
    check=_check,
)
