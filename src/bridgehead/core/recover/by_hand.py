"""What is never done by the tool itself: drain, kubelet restart, reboot, as runbooks with risks."""

from collections.abc import Mapping

import msgspec

from bridgehead.core.recover.assessment import Assessment, nobody_elses
from bridgehead.core.recover.precondition import judged
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation


class Runbook(msgspec.Struct, frozen=True):
    """Commands for a person, in order, and what each may cost. ``NODE`` stands for the node."""

    steps: tuple[str, ...]
    risks: tuple[str, ...]


_GIVE_BACK = "when it offers what it should: kubectl uncordon NODE"

RUNBOOKS: Mapping[Rung, Runbook] = {
    Rung.DRAIN: Runbook(
        steps=(
            "see what would go: kubectl drain NODE --ignore-daemonsets --delete-emptydir-data "
            "--dry-run=server",
            "kubectl drain NODE --ignore-daemonsets --delete-emptydir-data --timeout=15m",
            _GIVE_BACK,
        ),
        risks=(
            "workloads end and start elsewhere; what is in emptyDir volumes is lost",
            "disruption budgets may refuse for ever: do not add --force or --disable-eviction",
            "daemon pods, the plugin's among them, stay where they are",
        ),
    ),
    Rung.KUBELET_RESTART: Runbook(
        steps=(
            "kubectl cordon NODE",
            "drain the pods that hold devices: a restart may refuse them (ADMIT-2)",
            "on the node: systemctl restart kubelet",
            "wait until all plugin resources of the node are back; ignore the first 60 s",
            _GIVE_BACK,
        ),
        risks=(
            "all plugin resources of the node fall to 0/0 and come back one by one; a pod bound "
            "meanwhile is refused for good (seen with Kubernetes 1.37.2)",
            "running pods with devices were refused at the restart by some versions "
            "(kubernetes#118559, #133382)",
            "the kubelet itself deletes every socket in device-plugins at its start: removing them "
            "by hand adds nothing, and removes kubelet.sock with them",
        ),
    ),
    Rung.REBOOT: Runbook(
        steps=(
            "kubectl drain NODE --ignore-daemonsets --delete-emptydir-data --timeout=15m",
            "on the node: systemctl reboot",
            "wait until it is Ready and its plugin has registered",
            _GIVE_BACK,
        ),
        risks=(
            "every pod of the node ends; bare pods do not come back",
            "device pods that the kubelet admits before their plugin are refused (ADMIT-1)",
            "a card that is broken is broken after it, too: do not give the node back unverified",
        ),
    ),
}


def by_hand(situation: Situation, rung: Rung, command: tuple[str, ...] = ()) -> Assessment:
    """A runbook as an assessment; ready only with a person's own command, and where
    nobody else has the node."""
    name = situation.node.name
    runbook = RUNBOOKS[rung]
    helps = [item for item in situation.faults if rung in item.rungs]
    said = f"{helps[0].rule} asks for it" if helps else "the diagnosis does not ask for it"
    own = f"run {' '.join(command)!r} on this machine, without a shell" if command else ""
    return Assessment(
        rung=rung,
        preconditions=(
            judged(
                "a person says so, and with which command",
                bool(command) and situation.asked,
                f"{'--command is given' if command else 'no --command is given'}; {said}",
            ),
            nobody_elses(situation),
        ),
        would=(
            *((own,) if own else ("nothing: these are steps for a person",)),
            *(step.replace("NODE", name) for step in runbook.steps),
        ),
        would_not=("begin any of this by itself",),
        risks=runbook.risks,
    )
