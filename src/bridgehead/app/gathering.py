"""Gathers of a live cluster just what rules ask for, as the value that they see."""

from collections.abc import Callable, Collection, Sequence

from bridgehead.app.observing import observed_from, with_logs
from bridgehead.cluster.evidence import Evidence, read_evidence
from bridgehead.cluster.evidence_logs import read_logs
from bridgehead.core.diagnose.log_choice import logs_to_read
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import LogId, Observed
from bridgehead.core.findings.redaction import redacted
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.sources.clock import newest_time
from bridgehead.sources.raw import RawObject

WhoseLogs = Callable[[Observed], tuple[Sequence[LogId], int]]
"""Which logs are read, and of how many pods in trouble none are."""


def suspicious(bare: Observed) -> tuple[Sequence[LogId], int]:
    """Logs that may explain what is wrong anywhere in the cluster."""
    return logs_to_read(Scene(bare, symptoms_of(Scene(bare))))


async def gather(
    kube: Kube,
    needs: Collection[Need],
    *,
    now: float,
    namespaces: Sequence[str] = (),
    extra: Sequence[JsonObject] = (),
    unread: Sequence[Unread] = (),
    whose_logs: WhoseLogs = suspicious,
    on_occasion: Collection[Need] = (),
) -> Observed:
    """Everything for these needs; ``now`` in seconds since the epoch.

    ``namespaces`` are read where all may not be. ``on_occasion`` is read only if the cluster's
    DaemonSets give a reason. ``extra`` are objects of our own kinds that were
    come by otherwise (``NodeEvidence``, ``DeviceHistory``, ...), ``unread`` what was not of those.
    Logs are read last, as what else was seen says whose. Raises KubeError where the server does not
    answer.
    """
    found = await read_evidence(
        kube, needs, now=now, namespaces=namespaces, on_occasion=on_occasion
    )
    found.objects.extend(map(redacted, extra))
    found.complete.update(text(item, "kind") for item in extra)
    found.unread.extend(unread)
    at = _at(found, now)
    bare = _observed(found, at)
    if Need.LOGS not in needs:
        return bare
    wanted, passed = whose_logs(bare)
    logs = await read_logs(kube, wanted)
    missing = list(logs.unread)
    if passed:
        why = f"those of {passed} more pods in trouble would say the same again"
        missing.append(Unread("some logs", why))
    return with_logs(bare, logs.logs, missing)


def _at(found: Evidence, now: float) -> float:
    """The time of the reading: ours, or what the cluster itself wrote last if its clock is ahead.

    Otherwise all that happened of late would lie in the future, and count as just begun.
    """
    newest = newest_time(RawObject(item, "", 0) for item in found.objects)
    return max(now, newest or 0.0)


def _observed(found: Evidence, at: float) -> Observed:
    return observed_from(
        found.objects,
        at=at,
        server=found.server,
        complete=found.complete,
        unread=found.unread,
        more_pods=found.pods,
    )
