"""A ConfigMap or Secret that the plugin refers to is missing.

Finds: a plugin's pod that is not started, because a ConfigMap, a Secret or a key of one that its
template names does not exist.

Why: the kubelet tries again for ever and starts nothing in the meantime; in an update the former
pod is gone by then.

Sure: the waiting reason is CreateContainerConfigError, or the event FailedMount says not found,
with the name.

Do: create what is missing, from the same source as the plugin's manifest, or correct the name.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, matching
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RuledOut
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence

# pkg/kubelet/kubelet_pods.go and pkg/volume/{configmap,secret}, Kubernetes 1.30 to 1.37.
_MISSING = (
    r"(?P<kind>configmap|secret) \"(?P<name>[^\"]+)\" not found"
    r"|couldn't find key (?P<key>\S+) in (?P<holder>ConfigMap|Secret) (?P<where>\S+)"
    r"|references non-existent (?P<keyword>config|secret) key: (?P<entry>\S+)"
)


def _check(scene: Scene) -> Iterable[Cause]:
    for items, proof, match in matching(ailing(scene, Trouble.CONFIG, Trouble.CREATING), _MISSING):
        yield _cause(scene, items, proof, match)


def _cause(scene: Scene, items: Sequence[Ailing], proof: Evidence, match: re.Match[str]) -> Cause:
    posts = [item.post for item in items]
    component = posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.CONFIGURATION)
    if match["name"]:
        what = f"{match['kind']} {match['name']} does not exist"
    elif match["key"]:
        what = f"{match['holder']} {match['where']} has no key {match['key']}"
    else:
        what = f"a {match['keyword']} that it mounts has no key {match['entry']}"
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message=what,
        blame=Blame.CONFIGURATION,
        evidence=(proof,),
        refuted_by="what is missing found in the namespace, with that name and key",
        rollback=verdict.rollback,
        actions=(
            *back,
            Action(
                text="Create what is missing from the source of the plugin's manifest.",
                command=f"kubectl get configmaps,secrets -n {component.namespace}",
            ),
        ),
        ruled_out=(RuledOut("image or runtime", "the container waits for its configuration"),),
    )


RULE = DiagnosisRule(
    name="referenced-object-missing",
    severity=Severity.ERROR,
    level=2,
    references=("https://kubernetes.io/docs/concepts/configuration/configmap/",),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS, Need.REVISIONS}),
    supersedes=frozenset({"pod-not-set-up"}),
    check=_check,
)
