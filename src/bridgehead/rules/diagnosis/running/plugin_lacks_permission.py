"""The plugin's service account lacks a permission.

Finds: a plugin that offers no devices, and whose log quotes a refusal of the API server: forbidden.
Or one of a family that is known to need rights, which serves nowhere, says no other reason in its
log, and whose account the API server does not allow one of them.

Why: a plugin that reads or labels its node needs a role. A manifest that was edited, or a chart
installed without its RBAC, leaves the ServiceAccount without one, or uses the default one.

Sure: the message names user, verb and resource; kubectl auth can-i with --as says no. Without a
line of the log it is of medium confidence: the right is missing, and something else may be, too.

Do: restore ServiceAccount, role and binding from the plugin's own manifest, then restart its pods.
"""

import re
from collections.abc import Iterable, Sequence

from bridgehead.core.components.account_rights import account_of
from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RuledOut
from bridgehead.core.diagnose.log_faults import LogFault, faults_by_component, log_faults
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import shown
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.access_answers import answers_about
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

# k8s.io/apiserver, pkg/endpoints/handlers/responsewriters/errors.go, Kubernetes 1.30 to 1.37.
_REFUSAL = re.compile(
    r"User \\?\"(?P<user>[^\"\\]+)\\?\" cannot (?P<verb>\w+) resource \\?\"(?P<resource>[^\"\\]+)"
)

_TELLS_NO_REASON = frozenset(
    {"device-listed", "start-failed", "registration-failed", "init-failed"}
)
"""Signs of a log that say that something failed, and not why."""


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    told = set()
    for items in faults_by_component(log_faults(scene, "permission-missing")):
        told.add(items[0].post.plugin.component.ref)
        yield _cause(scene, items)
    crashing = {
        (item.post.plugin.component.ref, item.post.node.name): item
        for item in ailing(scene, Trouble.CRASH)
    }
    for ref, posts in scene.posts_by_plugin.items():
        if ref in told or not posts[0].plugin.family.rights:
            continue
        ill = [
            post
            for post in posts
            if _for_no_known_reason(post, crashing.get((ref, post.node.name)))
        ]
        yield from _by_answers(scene, ill) if ill and not _serves_elsewhere(posts, ill) else ()


def _cause(scene: Scene, items: Sequence[LogFault]) -> Cause:
    posts = [item.post for item in items]
    component = posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.CONFIGURATION)
    match = _REFUSAL.search(items[0].quote.text)
    account = account_of(component.namespace, component.template)
    user = match["user"] if match else f"system:serviceaccount:{account.replace('/', ':')}"
    what = f"{match['verb']} {match['resource']}" if match else "get nodes"
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    return plugin_cause(
        scene,
        posts,
        message=f"its service account {user.removeprefix('system:serviceaccount:')} may not {what}",
        blame=verdict.blame if verdict.of_version else Blame.CONFIGURATION,
        evidence=(items[0].quote.evidence, *_answers(scene, account)),
        refuted_by=f"kubectl auth can-i {what} --as={user} says yes, and the line is new",
        rollback=verdict.rollback,
        actions=(
            _restore(what, user),
            *back,
        ),
        ruled_out=(RuledOut("the network", "the API server answers, and refuses"),),
    )


def _for_no_known_reason(post: Post, crash: Ailing | None) -> bool:
    """Whether the plugin does not serve there, and its log tells neither why nor of success.

    One that ends for this reason says so: of a crash the log must be missing.
    """
    if crash is not None:
        return not post.logs
    idle = post.settled and bool(post.short) and not post.alive
    return idle and set(post.quotes) <= _TELLS_NO_REASON


def _serves_elsewhere(posts: Iterable[Post], ill: Iterable[Post]) -> bool:
    """Whether the same version serves on another node, with the same account."""
    versions = {post.pod.revision for post in ill if post.pod}
    return any(post.sound and post.pod and post.pod.revision in versions for post in posts)


def _by_answers(scene: Scene, posts: Sequence[Post]) -> Iterable[Cause | Doubt]:
    """What the API server says of the account's rights, where the log says nothing."""
    plugin = posts[0].plugin
    component, family = plugin.component, plugin.family
    account = account_of(component.namespace, component.template)
    answers = answers_about(scene.observed, account)
    denied = [" ".join(right) for right in family.rights if answers.get(right) is False]
    if not denied:
        open_ = [" ".join(right) for right in family.rights if right not in answers]
        if open_:
            yield Doubt(why=f"whether the service account {account} may {', '.join(open_)}")
        return
    verdict = version_or_node(scene, posts, Blame.CONFIGURATION)
    user = f"system:serviceaccount:{account.replace('/', ':')}"
    yield plugin_cause(
        scene,
        posts,
        message=f"its service account {account} may not {', '.join(denied)}, which the"
        f" {family.name} plugin does",
        blame=Blame.CONFIGURATION,
        evidence=(*_answers(scene, account), *shown(posts)),
        refuted_by=f"kubectl auth can-i {denied[0]} --as={user} says yes",
        rollback=verdict.rollback,
        actions=(_restore(denied[0], user),),
        confidence=Confidence.MEDIUM,
    )


def _restore(what: str, user: str) -> Action:
    return Action(
        text="Restore ServiceAccount, role and binding from the plugin's own manifest.",
        command=f"kubectl auth can-i {what} --as={user}",
    )


def _answers(scene: Scene, account: str) -> Iterable[Evidence]:
    """Access reviews that say no for the account."""
    for (verb, resource), allowed in sorted(answers_about(scene.observed, account).items()):
        if not allowed:
            yield Evidence(f"access review of {account}", f"{verb} {resource}: no")


RULE = DiagnosisRule(
    name="plugin-lacks-permission",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-7",),
    references=("AliyunContainerService/gpushare-scheduler-extender#47",),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS, Need.LOGS}),
    helped_by=frozenset({Need.ACCESS, Need.REVISIONS, Need.HISTORY}),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers"}),
    check=_check,
)
