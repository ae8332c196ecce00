"""Asks the API server what service accounts may do, and adds its answers to what was seen."""

from collections.abc import Collection

import msgspec

from bridgehead.cluster.evidence_access import access_answers
from bridgehead.core.components.account_rights import AccessQuestion, questions_about
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.suspects import plugins_with_symptoms
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.kube.client import Kube


async def with_answers(
    kube: Kube, observed: Observed, questions: Collection[AccessQuestion]
) -> Observed:
    """The same, with an answer to each question or the permission that is missing to ask.

    Raises KubeError.
    """
    answers, unread = await access_answers(kube, questions)
    return msgspec.structs.replace(
        observed,
        objects={**observed.objects, "AccessAnswer": answers},
        met=observed.met if unread else observed.met | {Need.ACCESS},
        unread=(*observed.unread, *unread),
    )


def about_suspects(scene: Scene) -> tuple[AccessQuestion, ...]:
    """What is to be asked where something is wrong: about the accounts of plugins with symptoms."""
    return tuple(
        question
        for plugin in plugins_with_symptoms(scene)
        for question in questions_about(plugin.component.namespace, plugin.component.template)
    )
