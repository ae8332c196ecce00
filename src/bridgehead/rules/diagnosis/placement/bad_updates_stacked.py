"""Several bad updates in a row took down more pods than the budget allows.

Finds: more unavailable pods of a plugin on ready nodes than maxUnavailable allows, after two or
more revisions that followed each other while the one before was not healthy.

Why: pods that are not ready and of an older revision are replaced at once, outside the budget. Each
further push while a bad revision is out takes the next healthy pod, until none is left.

Sure: kubectl get controllerrevisions shows the revisions and their times; the pods that are not
ready are of the newest ones.

Do: return to the last revision that was healthy and wait for it, then fix forward. Never push
another revision while one is unhealthy.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.revisions import PastTemplate, templates_of
from bridgehead.core.diagnose.rolling_update import RollingUpdate, rolling_updates
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import daemon_set_key, pod_key
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence, stamp
from bridgehead.core.model.confidence import Confidence

_IN_A_ROW = 43200.0
"""Seconds within which revisions count as following each other."""


def _check(scene: Scene) -> Iterable[Cause]:
    for update in rolling_updates(scene):
        down = update.unavailable_on_ready
        if len(down) <= update.max_unavailable:
            continue
        revisions = templates_of(scene, update.plugin.component)
        bad, good = _stacked(update, revisions, scene.now)
        if len(bad) >= 2 and good is not None:
            yield _cause(scene, update, bad, good)


def _stacked(
    update: RollingUpdate, revisions: tuple[PastTemplate, ...], now: float
) -> tuple[list[PastTemplate], PastTemplate | None]:
    """The newest revisions that were pushed in a row, and the one from before them.

    A revision with pods that are ready was good, and ends the row.
    """
    bad: list[PastTemplate] = []
    for item in reversed(revisions):
        since = bad[-1].at if bad and bad[-1].at is not None else now
        if item.hash in update.ready_hashes or item.at is None or since - item.at > _IN_A_ROW:
            return bad, item
        bad.append(item)
    return bad, None


def _cause(
    scene: Scene, update: RollingUpdate, bad: list[PastTemplate], good: PastTemplate
) -> Cause:
    component, down = update.plugin.component, update.unavailable_on_ready
    known = {item.key for item in scene.symptoms}
    pods = [pod for pod in update.plugin.pods if pod.node in down and not pod.terminal]
    hashes = {pod.revision for pod in pods}
    keys = (
        daemon_set_key(component.namespace, component.name),
        *(pod_key(pod) for pod in pods),
        *(f"devices/{node}/{name}" for node in down for name in update.plugin.resources),
    )
    pushed = ", ".join(f"{item.number} at {stamp(item.at or 0.0)}" for item in reversed(bad))
    return Cause(
        message=(
            f"{len(bad)} bad updates of {component.ref} in a row took down {len(down)} pods, "
            f"though maxUnavailable is {update.max_unavailable}"
        ),
        blame=Blame.VERSION,
        evidence=(
            Evidence(f"revisions of {component.ref}", pushed),
            Evidence(f"pods of {component.ref}", f"not ready on {listed(down)}"),
            Evidence(f"status of {component.ref}", update.counts),
        ),
        refuted_by=f"revision {good.number} put back, and its pods do not become ready",
        object=ObjectRef("apps/v1", "DaemonSet", component.namespace, component.name),
        nodes=down,
        explains=tuple(key for key in keys if key in known),
        actions=(
            Action(
                text=f"Return to revision {good.number}, the last from before the bad ones, and "
                "push nothing until its pods are ready.",
                command=f"kubectl rollout undo daemonset/{component.name} "
                f"-n {component.namespace} --to-revision={good.number}",
                risk=Risk.ROLLOUT,
                rung="R2",
            ),
        ),
        rollback_helps=RollbackHelps.YES,
        ruled_out=(RuledOut("drifted nodes", f"revision {good.number} was ready on them"),)
        if good.hash in update.ready_hashes
        else (RuledOut("one bad update", f"{len(bad)} came within minutes, none of them ready"),),
        confidence=Confidence.HIGH if len(hashes) > 1 else Confidence.MEDIUM,
    )


RULE = DiagnosisRule(
    name="bad-updates-stacked",
    severity=Severity.ERROR,
    level=1,
    cases=("PLACE-9",),
    references=("kubernetes#123232",),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.REVISIONS}),
    check=_check,
)
