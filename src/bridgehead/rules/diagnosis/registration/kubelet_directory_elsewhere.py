"""A device plugin and its kubelet look for each other in different directories.

Finds: a plugin whose log says that kubelet.sock, or a kubelet whose log says that the plugin's
socket, is not where it is looked for, on a node that shows none of its devices.

Why: the kubelet's device-plugins directory is always /var/lib/kubelet/device-plugins, also with
another root directory; plugins_registry does follow the root directory. A manifest that moves the
first or leaves the second makes the plugin talk to nobody.

Sure: "no such file" is a wrong directory, "permission denied" is SELinux or the user, "connection
refused" is a dead server. Compare the template's hostPaths with the node:
`ls /var/lib/kubelet/device-plugins/kubelet.sock`.

Do: mount /var/lib/kubelet/device-plugins at the same path inside and outside, and plugins_registry
from the kubelet's root directory.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.components.registration import mounted
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.contained_kubelet import contained_kubelet
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.remedies import edit
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.told import Told, told
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence

_DEFAULT = "/var/lib/kubelet/"
_KUBELETS = re.compile(r"kubelet|device-plugins|plugins_registry|dial device plugin")
_ROOT_PARTS = ("/device-plugins", "/plugins_registry")


def _check(scene: Scene) -> Iterable[Cause]:
    for group in told(scene, "kubelet-socket-missing", "dial-back-failed"):
        plain = [
            item
            for item in group
            if _KUBELETS.search(item.quote.text) and not contained_kubelet(item.post.node)
        ]
        if plain:
            yield _cause(scene, plain)


def _cause(scene: Scene, seen: Sequence[Told]) -> Cause:
    posts = [item.post for item in seen]
    component = posts[0].plugin.component
    back = seen[0].quote.key == "dial-back-failed"
    what = (
        "the kubelet does not find the plugin's socket"
        if back
        else "there is no kubelet.sock where the plugin looks for it"
    )
    return scoped_cause(
        scene,
        posts,
        message=f"{component.ref} and the kubelet do not meet on "
        f"{listed(post.node.name for post in posts)}: {what}, so {offering(posts)} is missing",
        evidence=[
            *(item.quote.evidence for item in seen[:3]),
            *_paths(component.ref, mounted(component.template)),
            *_roots(scene),
            *shown(posts),
        ],
        refuted_by="kubelet.sock in the directory that the plugin mounts, on the node itself",
        blame=Blame.CONFIGURATION,
        of_version=True,
        ruled_out=[
            RuledOut("SELinux or the user", "the error is not permission denied"),
            RuledOut("a dead registration server", "the error is not connection refused"),
        ],
        actions=[
            edit(
                component,
                "Mount /var/lib/kubelet/device-plugins, at the same path in the container, and "
                "plugins_registry from the kubelet's root directory.",
            )
        ],
    )


def _paths(ref: str, paths: Iterable[str]) -> list[Evidence]:
    """Host paths of the template that are for the kubelet and not at its default."""
    odd = [
        path
        for path in paths
        if path.rstrip("/").endswith(_ROOT_PARTS) and not path.startswith(_DEFAULT)
    ]
    return [Evidence(f"template of {ref}", f"hostPath {path}") for path in odd]


def _roots(scene: Scene) -> list[Evidence]:
    """Root directories of kubelets that storage drivers of this cluster know."""
    found = []
    for component in sorted(scene.observed.snapshot.components, key=lambda item: item.ref):
        for path in mounted(component.template):
            root, registry, _ = path.partition("/plugins_registry")
            if registry and not path.startswith(_DEFAULT):
                said = f"hostPath {path}: the kubelet's root directory may be {root}"
                found.append(Evidence(f"template of {component.ref}", said))
    return found[:2]


RULE = DiagnosisRule(
    name="kubelet-directory-elsewhere",
    severity=Severity.ERROR,
    level=3,
    references=("kubernetes#120626", "rdma#96", "sriov#586", "kubevirt#3495"),
    cases=("ZERO-3",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.NODE_EVIDENCE}),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers"}),
    check=_check,
)
