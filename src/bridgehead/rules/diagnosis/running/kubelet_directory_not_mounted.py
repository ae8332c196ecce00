"""A host path that the plugin mounts is not what it takes it for.

Finds: a plugin's pod whose volume cannot be set up, because the host path is missing on the node or
is of another type than the volume says.

Why: with a type on a hostPath volume the kubelet checks it before anything is started, and tries
again for ever. Distributions keep the kubelet's folder elsewhere, and a driver's files are where it
was installed.

Sure: the event FailedMount says hostPath type check failed and names the path.

Do: mount the path that the node has. The kubelet's device-plugins folder is
/var/lib/kubelet/device-plugins whatever its root folder is, unless the distribution says otherwise.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.components.registration import DEVICE_PLUGINS
from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, matching
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence

# Kubernetes 1.30: "failed: PATH is not a directory"; 1.37 adds what it is instead.
_FAILED = r"hostPath type check failed[:,] (?P<path>\S+) is not a (?P<type>[\w ]+)"


def _check(scene: Scene) -> Iterable[Cause]:
    for items, proof, match in matching(ailing(scene, Trouble.CREATING), _FAILED):
        yield _cause(scene, items, proof, match)


def _cause(scene: Scene, items: Sequence[Ailing], proof: Evidence, match: re.Match[str]) -> Cause:
    posts = [item.post for item in items]
    component = posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.CONFIGURATION)
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    path = match["path"]
    what = "the kubelet's device-plugins folder" if DEVICE_PLUGINS in path else "a host path"
    return plugin_cause(
        scene,
        posts,
        message=f"{what}, {path}, cannot be mounted: it is not a {match['type'].strip()} there",
        blame=verdict.blame,
        evidence=(proof,),
        refuted_by=f"a {match['type'].strip()} at {path} on the node",
        rollback=verdict.rollback,
        actions=(
            *back,
            remedies.edit(component, f"Mount the path that the nodes have instead of {path}."),
        ),
        ruled_out=(
            RuledOut("image or runtime", "the pod waits for its volumes, before both"),
            *verdict.ruled_out,
        ),
    )


RULE = DiagnosisRule(
    name="kubelet-directory-not-mounted",
    severity=Severity.ERROR,
    level=2,
    cases=("ZERO-3",),
    references=(
        "kubernetes#120626",
        "https://kubernetes.io/docs/concepts/storage/volumes/#hostpath",
    ),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS, Need.EVENTS}),
    helped_by=frozenset({Need.REVISIONS}),
    supersedes=frozenset({"pod-not-set-up"}),
    check=_check,
)
