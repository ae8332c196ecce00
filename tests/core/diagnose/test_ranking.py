"""Which of two causes is the root of the other."""

from collections.abc import Iterable

import msgspec

from bridgehead.core.diagnose.cause import Blame, Cause
from bridgehead.core.diagnose.consequences import Consequences
from bridgehead.core.diagnose.ranking import ranked
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import ObjectRef, Severity
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.snapshot import Snapshot

KEY = "pod/lab/x"


def rule(name: str, level: int, *supersedes: str) -> DiagnosisRule:
    """A rule that is never asked."""
    return DiagnosisRule(
        name=name,
        severity=Severity.ERROR,
        level=level,
        supersedes=frozenset(supersedes),
        check=lambda _: (),
    )


def cause(about: str) -> Cause:
    """A cause of the one symptom."""
    return Cause(
        message=about,
        blame=Blame.UNKNOWN,
        evidence=(Evidence("s", "t"),),
        refuted_by="nothing",
        object=ObjectRef("v1", "Pod", "lab", about),
        explains=(KEY,),
    )


def roots(said: Iterable[DiagnosisRule]) -> list[tuple[str, list[str]]]:
    """Roots by rule, each with what only follows from it."""
    nothing = Consequences(Scene(Observed(snapshot=Snapshot(at=0.0))))
    placed = ranked([(it, cause(it.name)) for it in said], nothing, frozenset({KEY}))
    return [(it.rule.name, [effect.rule.name for effect in it.effects]) for it in placed]


def test_an_earlier_step_that_explains_as_much_is_the_root() -> None:
    assert roots([rule("late", 4), rule("early", 3)]) == [("early", ["late"])]


def test_unless_the_later_one_knows_the_earlier_one_as_its_consequence() -> None:
    assert roots([rule("late", 4, "early"), rule("early", 3)]) == [("late", ["early"])]


def test_two_that_each_know_the_other_as_a_consequence_leave_one_root() -> None:
    found = roots([rule("one", 3, "other"), rule("other", 3, "one")])

    assert len(found) == 1


def test_what_is_only_seen_takes_no_fault_below_it() -> None:
    """Two on one node: a name without use, and a plugin that offers too little."""
    about = {"object": ObjectRef("v1", "Node", "", "n"), "nodes": ("n",)}
    fault = msgspec.structs.replace(cause("fault"), **about)
    seen = msgspec.structs.replace(cause("seen"), explains=(), severity=Severity.INFO, **about)
    said = [(rule("seen", 3, "fault"), seen), (rule("fault", 3), fault)]
    nothing = Consequences(Scene(Observed(snapshot=Snapshot(at=0.0))))

    placed = ranked(said, nothing, frozenset({KEY}))

    assert [it.rule.name for it in placed] == ["fault", "seen"]
