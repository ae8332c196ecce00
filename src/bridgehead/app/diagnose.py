"""The use case ``diagnose``: what went wrong, of a recording or of a live cluster."""

from collections.abc import Sequence

from bridgehead.app.access_answers import about_suspects, with_answers
from bridgehead.app.gathering import gather
from bridgehead.app.history import history_of_last_runs
from bridgehead.app.pod_dry_runs import with_trials_of_missing_pods
from bridgehead.cluster.perform import STATE_NAMESPACE
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.judge import diagnose
from bridgehead.core.diagnose.question import Question
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.rules.catalogue import DIAGNOSIS

FIRST_NEEDED = frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.REVISIONS, Need.EVENTS})
"""What symptoms, placement and timelines are made of, whatever the rules ask for."""


def needs() -> frozenset[Need]:
    """Everything that the rules ask for, and no more."""
    asked = (rule.needs | rule.helped_by for rule in DIAGNOSIS)
    return FIRST_NEEDED.union(*asked)


def diagnosed(observed: Observed, question: Question) -> Diagnosis:
    """What every rule says of it."""
    return diagnose(observed, DIAGNOSIS, question)


async def observe(
    kube: Kube,
    question: Question,
    *,
    now: float,
    state_namespace: str = STATE_NAMESPACE,
    extra: Sequence[JsonObject] = (),
    unread: Sequence[Unread] = (),
) -> Observed:
    """All of a live cluster that the rules ask for. Without history among ``extra`` the records of
    the last runs are asked. Raises KubeError where the server does not answer.

    What the API server must be asked that no object tells, is asked of plugins with symptoms alone.
    """
    namespaces = (question.component.split("/")[1],) if question.component else ()
    known = any(text(item, "kind") == "DeviceHistory" for item in extra)
    before = () if known else await history_of_last_runs(kube, state_namespace, question.component)
    found = await gather(
        kube,
        needs(),
        now=round(now, 3),  # to the millisecond, as a recorded state keeps it
        namespaces=namespaces,
        extra=(*extra, *before),
        unread=unread,
    )
    scene = Scene(found, symptoms_of(Scene(found)))
    found = await with_answers(kube, found, about_suspects(scene))
    return await with_trials_of_missing_pods(kube, found, scene)
