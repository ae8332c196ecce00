"""One rung, judged: whether it fits, what must hold, what it would change and what not."""

import msgspec

from bridgehead.core.model.pod import Pod
from bridgehead.core.recover.past import HOUR, last
from bridgehead.core.recover.precondition import Precondition, judged, unmet
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Situation


class Assessment(msgspec.Struct, frozen=True, kw_only=True):
    """A rung in a situation. ``pods`` and ``names`` are what it would delete or remove."""

    rung: Rung
    preconditions: tuple[Precondition, ...]
    would: tuple[str, ...]
    would_not: tuple[str, ...] = ()
    risks: tuple[str, ...] = ()
    pods: tuple[Pod, ...] = ()
    names: tuple[str, ...] = ()
    within: float = 120.0
    """Seconds in which the devices have to be back."""

    @property
    def ready(self) -> bool:
        """Whether everything holds that must."""
        return not unmet(self.preconditions)

    @property
    def obstacles(self) -> tuple[Precondition, ...]:
        """What stands in the way."""
        return unmet(self.preconditions)


def diagnosed(situation: Situation, rung: Rung) -> Precondition:
    """Whether the diagnosis of the node asks for the rung."""
    what = "the diagnosis names a cause that this repairs"
    faults = situation.faults
    fitting = [item for item in faults if rung in item.rungs]
    if fitting:
        first = fitting[0]
        return judged(what, True, f"{first.rule}: {first.message}")
    advised = [item for item in faults if rung in item.advice and rung is Rung.RESTART]
    if advised and situation.asked:
        said = f"{advised[0].rule}: once it is mended, a restart ends it; a person asks for it"
        return judged(what, True, said)
    if faults:
        named = ", ".join(item.rule for item in faults)
        helps = sorted({rung.value for item in faults for rung in item.rungs})
        other = f"; that is for {', '.join(helps)}" if helps else "; no rung repairs that"
        return judged(what, False, f"it names {named}{other}")
    seen = [item for item in situation.causes if rung in item.rungs]
    if situation.asked and seen:
        said = f"{seen[0].rule}, which harms nobody now: {seen[0].message}; a person asks for it"
        return judged(what, True, said)
    if situation.asked:
        return judged(what, True, "it names no cause on this node; a person asks for this rung")
    unread = "; ".join(situation.undiagnosed[:3])
    if (more := len(situation.undiagnosed) - 3) > 0:
        unread += f"; and {more} more"
    return judged(what, None, f"it names no cause on this node{f' ({unread})' if unread else ''}")


def nobody_elses(situation: Situation) -> Precondition:
    """Whether the node is free of other runs and other tools."""
    what = "nobody else works on the node"
    held = situation.node.held_by
    if held and held not in {situation.holder, situation.own_run}:
        return judged(what, False, f"node {situation.node.name} is held by run {held}")
    if situation.node.holds:
        return judged(what, False, "; ".join(situation.node.holds))
    return judged(what, True, f"node {situation.node.name} carries no hold of another")


def no_open_run(situation: Situation) -> Precondition:
    """Whether no run keeps the component: its nodes would be changed under it."""
    what = "no run keeps the component"
    if situation.open_run:
        return judged(what, False, f"run {situation.open_run} does: it goes on or back first")
    if situation.unrecorded:
        return judged(what, None, f"what runs there are is not known: {situation.unrecorded}")
    ref = situation.plugin.component.ref
    return judged(what, True, f"{ref} carries no mark of a run")


def seldom(situation: Situation, rung: Rung, seconds: float, what: str) -> Precondition:
    """Whether the rung was not begun on the node in so many seconds, whatever came of it."""
    node = situation.node.name
    if situation.unrecorded:
        said = f"what was begun on {node} before is not known: {situation.unrecorded}"
        return judged(what, None, said)
    before = last(situation.past, rung, node, situation.now, seconds)
    if before is None:
        return judged(what, True, f"the journal holds none on {node} in that time")
    ago = situation.now - before.at
    age = f"{ago / 60:.0f} min" if seconds >= HOUR else f"{ago:.0f} s"
    named = f" ({before.what})" if before.what else ""
    open_still = ", and nothing says how it ended" if not before.ended else ""
    return judged(what, False, f"the last one{named} was begun {age} ago{open_still}")
