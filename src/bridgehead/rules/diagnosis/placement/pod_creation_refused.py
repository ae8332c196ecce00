"""The API server refuses the plugin's pods.

Finds: a DaemonSet about devices with fewer pods than it wants and refusals in its events: of a
webhook, a quota, a LimitRange or a policy, or because its ServiceAccount, its RuntimeClass or its
PriorityClass does not exist.

Why: such checks act on pods, not on the DaemonSet: applying it succeeds. In an update the former
pod is deleted first, so that the node loses its devices for as long as the refusal lasts.

Sure: the newest FailedCreate event of the DaemonSet; kubectl apply --dry-run=server of a Pod made
from the template gets the same answer. Where no event is left, a dry run tells; of a webhook or a
policy it is of medium confidence, as these may treat users, and pods without an owner, differently.

Do: create what is missing, or satisfy the check that the message names; else go back.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps
from bridgehead.core.diagnose.creation_refusals import Check, Refused, refused_components
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.model.confidence import Confidence

_CHECKS = (
    Check.RUNTIME_CLASS,
    Check.SERVICE_ACCOUNT,
    Check.PRIORITY_CLASS,
    Check.WEBHOOK_DENIES,
    Check.WEBHOOK_AWAY,
    Check.QUOTA,
    Check.LIMITS,
    Check.POLICY,
    Check.OTHER,
)

_WHOSE_POD = (Check.WEBHOOK_DENIES, Check.POLICY, Check.OTHER)
"""Checks that may answer a pod of the DaemonSet controller otherwise than one of ours."""


def _check(scene: Scene) -> Iterable[Cause]:
    for item in refused_components(scene, *_CHECKS):
        yield _cause(scene, item)


def _cause(scene: Scene, item: Refused) -> Cause:
    component = item.component
    why, action = _told(item)
    _, former = former_of(templates_of(scene, component))
    some = former is not None and item.current > 0
    missing = item.check in (Check.WEBHOOK_AWAY, Check.QUOTA, Check.OTHER)
    rollback = RollbackHelps.YES if some and not missing else RollbackHelps.UNKNOWN
    back = (remedies.roll_back(component),) if rollback is RollbackHelps.YES else ()
    return Cause(
        message=f"the API server refuses pods of {component.ref}: {why}",
        blame=Blame.CONFIGURATION,
        evidence=item.evidence,
        refuted_by="a pod of this template that is created",
        object=item.object,
        nodes=item.nodes,
        explains=(item.key,),
        actions=(*back, action),
        confidence=Confidence.MEDIUM if item.tried and item.check in _WHOSE_POD else None,
        rollback_helps=rollback,
    )


def _told(item: Refused) -> tuple[str, Action]:
    """Why, and what to look at first."""
    namespace, what = item.component.namespace, item.what
    match item.check:
        case Check.RUNTIME_CLASS:
            return f"there is no RuntimeClass {what}", Action(
                text=f"Create the RuntimeClass {what}, or leave runtimeClassName out.",
                command="kubectl get runtimeclasses",
            )
        case Check.SERVICE_ACCOUNT:
            name = what.rpartition("/")[2]
            return f"there is no ServiceAccount {what}", Action(
                text="Restore the ServiceAccount with its roles, from the plugin's own manifest.",
                command=f"kubectl create serviceaccount {name} -n {namespace}",
            )
        case Check.PRIORITY_CLASS:
            return f"there is no PriorityClass {what}", Action(
                text=f"Create the PriorityClass {what}, or name one that exists.",
                command="kubectl get priorityclasses",
            )
        case Check.WEBHOOK_DENIES | Check.WEBHOOK_AWAY:
            does = "denies them" if item.check is Check.WEBHOOK_DENIES else "does not answer"
            return f"webhook {what} {does}", Action(
                text=f"Look at the webhook {what}: what it refuses, and whether its pods run.",
                command="kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
            )
        case Check.QUOTA:
            return f"ResourceQuota {what} does not admit them", Action(
                text=f"Raise the quota {what}, or give the containers the requests it asks for.",
                command=f"kubectl describe quota -n {namespace} {what}",
            )
        case Check.LIMITS:
            return "a LimitRange does not admit them", Action(
                text="Change the LimitRange or the containers' resources.",
                command=f"kubectl describe limitrange -n {namespace}",
            )
        case _:
            said = item.message.removeprefix("(combined from similar events): ")
            return said.removeprefix("Error creating: "), Action(
                text="Satisfy what the message names.",
                command=f"kubectl get events -n {namespace} --field-selector reason=FailedCreate",
            )


RULE = DiagnosisRule(
    name="pod-creation-refused",
    severity=Severity.ERROR,
    level=1,
    references=("https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/",),
    needs=frozenset({Need.DAEMON_SETS, Need.EVENTS}),
    helped_by=frozenset({Need.REVISIONS, Need.DRY_RUNS}),
    check=_check,
)
