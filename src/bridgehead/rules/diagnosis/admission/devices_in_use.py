"""All devices are in use: pods wait for their turn.

Finds: pods that wait for devices where every node that they may go to offers all the devices that
it should, and pods that have not ended hold so many of them that too few are left.

Why: nothing is wrong with plugins or nodes. It is told because the scheduler's word, Insufficient,
is the same where a plugin is lost, and because a holder may be one that nobody needs any more.

Sure: allocatable is as it should be on every node, and less the requests of pods that have not
ended nothing is left. Pods being deleted hold their devices until their containers have ended.

Do: wait, end a holder that is not needed, or add nodes. Look first at holders without a controller
and at those that have been on their way out for long.
"""

from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, Risk, RollbackHelps, RuledOut
from bridgehead.core.diagnose.free_devices import holders_text
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.shortage import Lack, Shortage, lacks
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence


def _check(scene: Scene) -> Iterable[Cause]:
    for lack in lacks(scene, Shortage.IN_USE):
        yield _cause(lack)


def _cause(lack: Lack) -> Cause:
    waiting = lack.waiting
    rooms = tuple(item.room for item in lack.options)
    in_use = sum(room.in_use for room in rooms)
    healthy = sum(room.offer.allocatable for room in rooms)
    nodes = "1 node" if len(rooms) == 1 else f"{len(rooms)} nodes"
    return Cause(
        message=f"{waiting.who} {waiting.verb} {waiting.count} {waiting.resource}, and {in_use} of "
        f"{healthy} healthy devices on {nodes} are in use: nothing is wrong with the plugin",
        blame=Blame.EXPECTED,
        object=waiting.object,
        nodes=tuple(room.node for room in rooms),
        explains=waiting.explained,
        evidence=(
            *waiting.evidence,
            *(room.evidence for room in rooms[:3]),
            Evidence(f"requests of {waiting.resource}", holders_text(rooms)),
        ),
        refuted_by="a node offers fewer devices than it should, or one of the holders has ended",
        ruled_out=(
            RuledOut("a lost plugin", "every node that the pods may go to offers its devices"),
            RuledOut("another check", "on no excluded node are enough devices free either"),
        ),
        actions=(
            Action(
                text="Wait for a holder to end, or see who holds the devices",
                command="kubectl get pods -A -o wide --field-selector=status.phase=Running",
                risk=Risk.NONE,
                rung="R0",
            ),
        ),
        rollback_helps=RollbackHelps.NO,
    )


RULE = DiagnosisRule(
    name="devices-in-use",
    severity=Severity.INFO,
    level=4,
    references=("NVIDIA/k8s-device-plugin#213",),
    needs=frozenset({Need.NODES, Need.PODS}),
    helped_by=frozenset({Need.EVENTS}),
    check=_check,
)
