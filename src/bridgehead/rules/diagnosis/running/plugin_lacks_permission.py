"""The plugin's service account lacks a permission.

Finds: a plugin that offers no devices, and whose log quotes a refusal of the API server: forbidden.

Why: a plugin that reads or labels its node needs a role. A manifest that was edited, or a chart
installed without its RBAC, leaves the ServiceAccount without one, or uses the default one.

Sure: the message names user, verb and resource; kubectl auth can-i with --as says no.

Do: restore ServiceAccount, role and binding from the plugin's own manifest, then restart its pods.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RuledOut
from bridgehead.core.diagnose.log_faults import LogFault, faults_by_component, log_faults
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import child, text

# k8s.io/apiserver, pkg/endpoints/handlers/responsewriters/errors.go, Kubernetes 1.30 to 1.37.
_REFUSAL = re.compile(
    r"User \\?\"(?P<user>[^\"\\]+)\\?\" cannot (?P<verb>\w+) resource \\?\"(?P<resource>[^\"\\]+)"
)


def _check(scene: Scene) -> Iterable[Cause]:
    for items in faults_by_component(log_faults(scene, "permission-missing")):
        yield _cause(scene, items)


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    component = posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.CONFIGURATION)
    match = _REFUSAL.search(items[0].quote.text)
    account = text(component.template, "spec", "serviceAccountName") or "default"
    user = match["user"] if match else f"system:serviceaccount:{component.namespace}:{account}"
    what = f"{match['verb']} {match['resource']}" if match else "get nodes"
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message=f"its service account {user.removeprefix('system:serviceaccount:')} may not {what}",
        blame=verdict.blame if verdict.of_version else Blame.CONFIGURATION,
        evidence=(items[0].quote.evidence, *_answers(scene, f"{component.namespace}/{account}")),
        refuted_by=f"kubectl auth can-i {what} --as={user} says yes, and the line is new",
        rollback=verdict.rollback,
        actions=(
            Action(
                text="Restore ServiceAccount, role and binding from the plugin's own manifest.",
                command=f"kubectl auth can-i {what} --as={user}",
            ),
            *back,
        ),
        ruled_out=(RuledOut("the network", "the API server answers, and refuses"),),
    )


def _answers(scene: Scene, account: str) -> Iterable[Evidence]:
    """Access reviews that say no for the account."""
    for item in scene.observed.of_kind("AccessAnswer"):
        if text(item, "status", "account") == account and child(item, "status", "allowed") is False:
            said = f"{text(item, 'status', 'verb')} {text(item, 'status', 'resource')}: no"
            yield Evidence(f"access review of {account}", said)


RULE = DiagnosisRule(
    name="plugin-lacks-permission",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-7",),
    references=("AliyunContainerService/gpushare-scheduler-extender#47",),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.ACCESS, Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
