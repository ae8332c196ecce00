"""Which rung to take: the gentlest that a cause asks for and whose preconditions all hold."""

import msgspec

from bridgehead.core.recover.assessment import Assessment
from bridgehead.core.recover.by_hand import by_hand
from bridgehead.core.recover.cordoning import cordoning
from bridgehead.core.recover.dead_name import dead_name
from bridgehead.core.recover.pruning import pruning
from bridgehead.core.recover.restarting import restarting
from bridgehead.core.recover.rolling_back import rolling_back
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation
from bridgehead.core.recover.waiting import waiting

_JUDGES = {
    Rung.WAIT: waiting,
    Rung.RESTART: restarting,
    Rung.ROLL_BACK: rolling_back,
    Rung.PRUNE: pruning,
    Rung.CORDON: cordoning,
    Rung.DEAD_NAME: dead_name,
}


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """All rungs that a situation asks for, judged; ``chosen`` is the one to take, if any.

    ``first`` is what a person has to do before; ``why`` says in a sentence how it came to that.
    """

    assessments: tuple[Assessment, ...]
    chosen: Assessment | None
    why: str
    first: tuple[str, ...] = ()


def assess(situation: Situation, rung: Rung, command: tuple[str, ...] = ()) -> Assessment:
    """One rung, judged; ``command`` is the user's own for what is done by hand."""
    if rung.by_hand:
        return by_hand(situation, rung, command)
    return _JUDGES[rung](situation)


def choose(situation: Situation) -> Choice:
    """The rungs for what is seen. Waiting comes before all others, whatever the causes say."""
    wait = waiting(situation)
    if wait.ready:
        return Choice(
            assessments=(wait,), chosen=wait, why="what the node shows may not be settled yet"
        )
    wanted = _wanted(situation)
    if not wanted and situation.missing and not situation.faults:
        wanted = (Rung.RESTART,)
    judged = tuple(assess(situation, rung) for rung in wanted)
    first = tuple(sorted({item.fit.first for item in situation.faults if item.fit.first}))
    ready = [item for item in judged if item.ready and not item.rung.by_hand]
    if ready:
        return Choice(
            assessments=judged, chosen=ready[0], why=_because(situation, ready[0].rung), first=first
        )
    return Choice(assessments=judged, chosen=None, why=_why_none(situation, judged), first=first)


def _wanted(situation: Situation) -> tuple[Rung, ...]:
    """Rungs that the causes ask for, the most probable cause first, each once."""
    every = [rung for item in situation.faults for rung in item.rungs]
    return tuple(dict.fromkeys(every))


def _because(situation: Situation, rung: Rung) -> str:
    rule = next((item.rule for item in situation.faults if rung in item.rungs), "")
    return f"{rule} is repaired by {rung.value}" if rule else f"{rung.value} may help"


def _why_none(situation: Situation, judged: tuple[Assessment, ...]) -> str:
    if situation.faults and not judged:
        names = ", ".join(item.rule for item in situation.faults)
        return f"no rung repairs {names}: the diagnosis says what does"
    hand = [item.rung for item in judged if item.rung.by_hand]
    if hand:
        return f"only a person can do it: {', '.join(rung.value for rung in hand)}"
    if judged:
        return "a precondition does not hold, or is not known to"
    if situation.expectations_known:
        return f"node {situation.node.name} offers what it should"
    return f"nothing tells what node {situation.node.name} should offer"
