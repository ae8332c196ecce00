"""From what was observed to a diagnosis: symptoms, causes by the rules, ranking, what is left."""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.baseline_before import bad_before
from bridgehead.core.diagnose.cause import Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.consequences import Consequences
from bridgehead.core.diagnose.diagnosis import Diagnosis, NodeView, Ranked, SymptomView
from bridgehead.core.diagnose.not_ready import not_ready
from bridgehead.core.diagnose.question import EVERYTHING, Question
from bridgehead.core.diagnose.ranking import LAST_LEVEL, Placed, ranked
from bridgehead.core.diagnose.reach import drift_refuted
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scope import Scope, scope_of
from bridgehead.core.diagnose.symptom import Symptom
from bridgehead.core.diagnose.symptoms import symptoms_of
from bridgehead.core.diagnose.timeline import timeline
from bridgehead.core.diagnose.too_early import too_early
from bridgehead.core.findings.finding import Finding, Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.findings.runner import Answers, ask_diagnosis
from bridgehead.core.inventory.cohort import cohort_of
from bridgehead.core.journal.entry import Evidence, stamp

MOST_NODES = 20
"""Nodes whose timeline is shown: the first of each cause before the second of any."""

_NEEDED = (Need.NODES, Need.PODS, Need.DAEMON_SETS)
"""Without these nothing can be called healthy."""


def diagnose(
    observed: Observed, rules: Iterable[DiagnosisRule], question: Question = EVERYTHING
) -> Diagnosis:
    """Everything that the rules find about what is asked. The same for the same input."""
    every = tuple(rules)
    scene = Scene(observed)
    scene = Scene(observed, symptoms_of(scene))
    first = ask_diagnosis([rule for rule in every if rule.level < LAST_LEVEL], scene)
    consequences = Consequences(scene)
    explained = consequences.of(key for _, cause in first.causes for key in cause.explains)
    left = [item for item in scene.symptoms if item.key not in explained]
    last = ask_diagnosis(
        [rule for rule in every if rule.level >= LAST_LEVEL], Scene(observed, left)
    )
    known = frozenset(item.key for item in scene.symptoms)
    placed = ranked((*first.causes, *last.causes), consequences, known)
    return _answer(scene, placed, (first, last), question)


def _answer(
    scene: Scene, placed: Sequence[Placed], answers: Sequence[Answers], question: Question
) -> Diagnosis:
    asked = question.within(scene)
    mine = [item for item in placed if asked.concerns(item.cause, item.reach)]
    causes = tuple(_cause(scene, item) for item in mine)
    symptoms = tuple(item for item in scene.symptoms if asked.includes(item))
    failures = tuple(item for answer in answers for item in answer.failures)
    silent = tuple(not_ready(scene, question))
    unread = (*scene.observed.unread, *silent)
    early = tuple(item for item in too_early(scene) if asked.about(item.component, item.node))
    return Diagnosis(
        at=stamp(scene.now),
        about=str(question),
        healthy=_healthy(scene.observed, causes, bool(failures or early or silent)),
        causes=causes,
        symptoms=tuple(_symptom(item, mine) for item in symptoms),
        nodes=_nodes(scene, causes),
        not_known=tuple(dict.fromkeys(item for answer in answers for item in answer.not_known)),
        failures=failures,
        unread=tuple(sorted(dict.fromkeys(unread), key=lambda item: (item.what, item.why))),
        too_early=early,
    )


def _healthy(observed: Observed, causes: Sequence[Ranked], unjudged: bool) -> bool | None:
    """False with a cause that is something wrong; else True only where everything was read.

    ``unjudged``: a rule has crashed, something has just begun, or a node is silent.
    """
    if any(item.severity is not Severity.INFO for item in causes):
        return False
    missing = [need for need in _NEEDED if not observed.has(need)]
    return None if missing or observed.unread or unjudged else True


def _cause(scene: Scene, item: Placed) -> Ranked:
    cause = item.cause
    before = bad_before(scene, cause)
    scope = scope_of(scene, cause.nodes, cause.object)
    rollback, ruled_out = _as_tried(scene, cause)
    return Ranked(
        rule=item.rule.name,
        severity=item.severity,
        confidence=item.confidence,
        message=cause.message,
        remedy=cause.remedy or item.rule.card.do,
        object=cause.object,
        nodes=tuple(sorted(cause.nodes)),
        scope=scope.text,
        blame=cause.blame,
        evidence=(*_located(cause.evidence, scope), *before),
        refuted_by=cause.refuted_by,
        ruled_out=ruled_out,
        actions=cause.actions,
        rollback_helps=rollback,
        explains=tuple(sorted(item.reach)),
        effects=tuple(_effect(found) for found in item.effects),
    )


def _located(evidence: Sequence[Evidence], scope: Scope) -> Sequence[Evidence]:
    """With where it is seen; second, where the very same version is sound on other nodes.

    Nothing tells more of a cause then, and whoever is shown a few proofs must be shown that one.
    """
    if not scope.text:
        return evidence
    place = 1 if scope.of_version else len(evidence)
    return (*evidence[:place], Evidence("where it is seen", scope.text), *evidence[place:])


def _as_tried(scene: Scene, cause: Cause) -> tuple[RollbackHelps, tuple[RuledOut, ...]]:
    """What a rule left open and a run has tried: whether the former version runs there."""
    component = scene.observed.verdicts.component
    if cause.rollback_helps is RollbackHelps.UNKNOWN and (
        refuted := drift_refuted(scene, component, cause.nodes)
    ):
        return RollbackHelps.YES, tuple(dict.fromkeys((*cause.ruled_out, refuted)))
    return cause.rollback_helps, cause.ruled_out


def _effect(item: Placed) -> Finding:
    cause = item.cause
    return Finding(
        rule=item.rule.name,
        severity=item.severity,
        confidence=item.confidence,
        message=cause.message,
        remedy=cause.remedy or item.rule.card.do,
        object=cause.object,
        node=", ".join(sorted(cause.nodes)),
        evidence=cause.evidence,
    )


def _symptom(symptom: Symptom, placed: Sequence[Placed]) -> SymptomView:
    rules = dict.fromkeys(item.rule.name for item in placed if symptom.key in item.reach)
    return SymptomView(key=symptom.key, text=symptom.text, explained_by=tuple(rules))


def _nodes(scene: Scene, causes: Sequence[Ranked]) -> tuple[NodeView, ...]:
    """Nodes of causes in the order of the causes, no more than a reader can take in."""
    longest = max((len(item.nodes) for item in causes), default=0)
    names = dict.fromkeys(
        item.nodes[turn] for turn in range(longest) for item in causes if turn < len(item.nodes)
    )
    chosen = sorted([name for name in names if name in scene.nodes][:MOST_NODES])
    return tuple(_node(scene, name) for name in chosen)


def _node(scene: Scene, name: str) -> NodeView:
    node = scene.nodes[name]
    moments, earlier = timeline(scene, name)
    return NodeView(
        name=name,
        cohort=cohort_of(node).name,
        ready=node.ready,
        resources={key: str(offer) for key, offer in sorted(node.offers.items())},
        timeline=moments,
        earlier=earlier,
    )
