"""Journal records as lines that a person reads, while a run goes on or long after it."""

from collections.abc import Callable, Mapping

from bridgehead.core.journal.entry import Entry, Phase
from bridgehead.core.model.durations import duration_text
from bridgehead.core.model.json import JsonObject, child, children, text
from bridgehead.core.recover.past import STEP
from bridgehead.core.rollout.control import (
    Abort,
    Approve,
    Pause,
    Request,
    Resume,
    decode,
    who,
)
from bridgehead.report.plain import plain_line
from bridgehead.report.recovery_entries import recovery_line

PURPOSES = {
    "restart-test": "restart test: its current revision came back",
    "change": "passed all gates on the new version",
    "take-back": "taken back: verified on the former version",
}

Line = Callable[[Entry], str | tuple[str, ...]]


def entry_lines(entry: Entry) -> tuple[str, ...]:
    """The record's lines without its time; none for records that only machines need."""
    lines = _lines(entry)
    if not lines:
        return ()
    place = f"{entry.node}: " if entry.node else ""
    first, *more = lines
    proof = [f"    {item.source}: {_one_line(item.text)}" for item in entry.evidence]
    record = "\n".join(map(plain_line, (f"{place}{first}", *more)))
    return (record, *(map(plain_line, proof) if _tells(entry) else ()))


def clock_time(entry: Entry) -> str:
    """Hours, minutes and seconds of the record, in UTC."""
    return entry.time[11:19]


def failure_lines(gate: JsonObject) -> tuple[str, ...]:
    """A failed gate: what was expected, what was seen, why."""
    return (
        f"gate {text(gate, 'gate')}: {text(gate, 'reason')}",
        f"expected: {text(gate, 'expected')}",
        f"seen: {text(gate, 'seen')}",
    )


def _tells(entry: Entry) -> bool:
    """Whether the proof belongs under the line: that of a good probe is in the journal, and a turn
    repeats the failure that it rests on.
    """
    return entry.step != "turn" and text(entry.detail, "gate", "verdict") != "pass"


def _one_line(said: str) -> str:
    flat = " ".join(said.split())
    return flat if len(flat) <= 300 else f"{flat[:297]}..."


def _lines(entry: Entry) -> tuple[str, ...]:
    """What the record says; what else belongs to it stands below, indented."""
    said = _said(entry)
    if isinstance(said, tuple):
        return said
    return (said,) if said else ()


def _said(entry: Entry) -> str | tuple[str, ...]:
    if entry.step == STEP:
        return recovery_line(entry)
    match entry.phase:
        case Phase.INTENT:
            return ""
        case Phase.OUTCOME:
            if entry.result != "done":
                said = text(entry.detail, "message")
                return f"{entry.step} did not happen ({entry.result}): {said}" if said else ""
            line = OUTCOMES.get(entry.step)
        case Phase.NOTE:
            line = NOTES.get((entry.step, entry.result))
    return line(entry) if line else ""


def _fixed(words: str) -> Line:
    def line(entry: Entry) -> str:  # noqa: ARG001 - all lines share one signature
        return words

    return line


def _flip(entry: Entry) -> str:
    generation = child(entry.detail, "generation")
    position = text(entry.detail, "to")
    words = {"target": "new template put in", "former": "former template parked"}
    return f"{words.get(position, 'template changed')} (generation {generation})"


def _verified(entry: Entry) -> str:
    return PURPOSES.get(text(entry.detail, "purpose"), "verified")


def _failed(entry: Entry) -> tuple[str, ...]:
    gate = child(entry.detail, "gate")
    what = {"restart-test": "restart test FAILED", "take-back": "NOT taken back"}
    word = what.get(text(entry.detail, "purpose"), "FAILED")
    first, expected, seen = failure_lines(gate if isinstance(gate, Mapping) else {})
    return (f"{word} {first}", f"    {expected}", f"    {seen}")


def _probed(entry: Entry) -> str:
    verdict = text(entry.detail, "gate", "verdict")
    reason = text(entry.detail, "gate", "reason")
    return f"probe {verdict}{f': {reason}' if reason else ''}"


def _held(entry: Entry) -> str:
    """A resume, another machine's runner and the same one after an outage write the same record."""
    stands = text(entry.detail, "stands")
    adopted = f", from the {stands} template as somebody left it" if stands else ""
    return f"goes on: holder {child(entry.detail, 'holder')}{adopted}"


def _soaking(entry: Entry) -> str:
    seconds = child(entry.detail, "seconds")
    length = duration_text(seconds) if isinstance(seconds, int | float) else "?"
    return f"{text(entry.detail, 'stage')}: all gates good, soaking for {length}"


def _abandoned(entry: Entry) -> str:
    why = text(entry.detail, "reason") or "all of it goes back"
    return f"no longer waited for: {why}"


def _cordoned(entry: Entry) -> str:
    ours = child(entry.detail, "schedulable") is not False
    return "cordoned" if ours else "cordoned already by someone else; it will stay so"


def _given_back(entry: Entry) -> str:
    if child(entry.detail, "schedulable") is False:
        return "given back; it stays cordoned, as it was before or as somebody asked"
    return "given back"


def _reason(prefix: str) -> Line:
    def line(entry: Entry) -> str:
        return f"{prefix}{text(entry.detail, 'reason')}"

    return line


def _occupied(entry: Entry) -> str:
    does = "evicts" if text(entry.detail, "care") == "evict" else "waits for"
    return f"its devices are held: {does} {text(entry.detail, 'reason')}"


def _cleared(entry: Entry) -> str:
    reason = text(entry.detail, "reason")
    return f"goes on although {reason}" if reason else "nobody holds its devices any more"


def _request(entry: Entry) -> str:
    """What a person asked for, with all that was said of it."""
    request = decode(entry.detail)
    why = f": {_one_line(request.reason)}" if request.reason else ""
    return f"{who(request)} {_wish(request)}{why}"


def _wish(request: Request) -> str:
    match request:
        case Pause():
            return "asked for a pause"
        case Abort():
            return "asked for an abort"
        case Approve(point=point, expires=expires):
            return f"approved {point}" + (f" until {expires}" if expires else "")
        case Resume(without=without, retry=retry):
            answers = {"without": without, "with another try of": retry}
            told = [f"{how} {', '.join(names)}" for how, names in answers.items() if names]
            return " ".join(("asked to go on", *told))


def _approved(entry: Entry) -> str:
    return f"{text(entry.detail, 'point')}: goes on, as {text(entry.detail, 'by')} approved"


def _lost(entry: Entry) -> str:
    """What is still seen of the component, where it was not waited for any longer."""
    left = text(entry.detail, "reason")
    return f"WARNING: should have lost the component: {left}" if left else "lost the component"


def _stage_passed(entry: Entry) -> str:
    stage, empty = text(entry.detail, "stage"), text(entry.detail, "reason")
    return f"{stage} is over: {empty}" if empty else f"{stage} passed"


def _began(entry: Entry) -> str:
    images = children(entry.detail, "images")
    wanted = ", ".join(f"{text(item, 'container')}={text(item, 'image')}" for item in images)
    return f"run {entry.run} of {text(entry.detail, 'component')} began: {wanted}"


def headline(code: int) -> str:
    """A run's ending in a word or two, by its exit code."""
    words = {0: "done", 1: "refused", 3: "taken back", 4: "stopped", 5: "waiting"}
    return words.get(code, f"exit {code}")


def _ended(entry: Entry) -> str:
    """Without the code: it is that of the run's own command, and others end with their own."""
    code = child(entry.detail, "ending", "exit")
    word = headline(code) if isinstance(code, int) else "ended"
    return f"{word}: {text(entry.detail, 'ending', 'summary')}"


def _diagnosis(entry: Entry) -> tuple[str, ...] | str:
    """The causes in a line each; all of it is told with the ending."""
    causes = children(entry.detail, "causes")
    if causes:
        return tuple(
            f"diagnosis: {text(item, 'message')} ({text(item, 'rule')}, "
            f"{text(item, 'confidence')} confidence)"
            for item in causes
        )
    if entry.result == "failed":
        return f"diagnosis failed: {text(entry.detail, 'failed')}"
    return "diagnosis: no cause is known"


OUTCOMES: Mapping[str, Line] = {
    "take-over": _fixed("taken over: update strategy is OnDelete"),
    "flip": _flip,
    "cordon": _cordoned,
    "delete-pod": _fixed("old pod deleted"),
    "evict": _fixed("a pod that holds its devices is evicted"),
    "uncordon": _given_back,
    "restore-strategy": _fixed("former update strategy restored"),
    "let-go": _fixed("let go: nothing of this run is left on the component"),
}

NOTES: Mapping[tuple[str, str], Line] = {
    ("run", "began"): _began,
    ("run", "held"): _held,
    ("run", "ended"): _ended,
    ("control", "pause"): _request,
    ("control", "resume"): _request,
    ("control", "approve"): _request,
    ("control", "abort"): _request,
    ("preflight", "pulled"): _fixed("preflight: can run the new image"),
    ("preflight", "passed"): _fixed("preflight passed"),
    ("preflight", "failed"): _failed,
    ("turn", "back"): _reason("TAKING BACK: "),
    ("turn", "hold"): _reason("HOLDING: "),
    ("turn", "forward"): _reason("GOING ON "),
    ("node", "verified"): _verified,
    ("node", "failed"): _failed,
    ("node", "unchanged"): _fixed("came up on the former version; back in the queue"),
    ("node", "cancelled"): _fixed("left alone: its pod had not been deleted yet"),
    ("node", "occupied"): _occupied,
    ("node", "cleared"): _cleared,
    ("node", "disowned"): _fixed("somebody uncordoned it while this run held it; it goes on"),
    ("node", "disturbed"): _fixed("its pod was replaced by someone else; it will be changed again"),
    ("node", "dipped"): _reason("its devices were away for a moment; the soak begins anew: "),
    ("node", "arrived"): _fixed("came up on the wanted version by itself; to be verified"),
    ("node", "gained"): _fixed("the component came to it with the new template; to be verified"),
    ("node", "lost"): _lost,
    ("node", "moved-back"): _fixed("the component is off it again"),
    ("node", "joined"): _fixed("joined; it takes the change in the last wave"),
    ("node", "waits"): _reason("waits: "),
    ("node", "untested"): _fixed("held up before its change: its restart test will be done anew"),
    ("node", "waited"): _fixed("waits no longer"),
    ("node", "fewer"): _reason("WARNING: taken as it is: "),
    ("node", "abandoned"): _abandoned,
    ("node", "away"): _reason("cannot be seen, so it is waited for: "),
    ("node", "back"): _fixed("can be seen again"),
    ("node", "replaced"): _reason("before its turn "),
    ("component", "touched"): _reason("labels or annotations of the component were changed by "),
    ("node", "renewed"): _fixed("another Node object has its name now: a new node for this run"),
    ("node", "left"): _fixed("is gone"),
    ("node", "set-aside"): _reason("set aside: "),
    ("node", "probed"): _probed,
    ("diagnosis", "named"): _diagnosis,
    ("diagnosis", "open"): _diagnosis,
    ("diagnosis", "failed"): _diagnosis,
    ("stage", "soaking"): _soaking,
    ("stage", "approved"): _approved,
    ("stage", "passed"): _stage_passed,
}
