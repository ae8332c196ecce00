"""Whether a scenario ended as its file says, and as its exit code promises in general."""

from collections.abc import Iterator

from bridgehead.core.journal.entry import Entry
from bridgehead.core.model.json import text
from tests.scenarios.actions import agrees
from tests.scenarios.playing import Played
from tests.scenarios.view import component
from tests.scenarios.written import unlisted

RESTORED = frozenset({0, 3})
"""Exits that promise that every node offers again what it offered before."""
UNSAID = frozenset({6, 7})
"""Exits of a runner that could not, or must not, write any more."""
UNTOUCHED = 1
"""The exit that promises that nothing was changed."""


def judge(plays: list[Played]) -> str:
    """What is not as it should be, with what was printed; empty where all is well."""
    complaints = [complaint for played in plays if (complaint := _judge(played))]
    return "\n".join([plays[0].stage.scenario.says, *complaints]) if complaints else ""


def _judge(played: Played) -> str:
    wrong = [
        *played.wrong,
        *_endings(played),
        *_failure(played),
        *_words(played),
        *_journal(played),
        *_promises(played),
        *unlisted(played.stage),
    ]
    if not wrong:
        return ""
    return "\n".join([*(f"- {item}" for item in wrong), "It printed:", played.output])


def _differs(what: str, wanted: object, found: object) -> Iterator[str]:
    if wanted != found:
        yield f"{what}: expected {wanted}, found {found}"


def _endings(played: Played) -> Iterator[str]:
    expect, after, stage = played.expect, played.after, played.stage
    yield from _differs("exit", expect.exit, played.exit)
    ended = [item for item in played.entries if (item.step, item.result) == ("run", "ended")]
    if played.entries and not ended and played.exit not in UNSAID:
        yield "the journal has no ending"
    yield from _differs("touched", sorted(expect.touched), _touched(played))
    for name, numbers in expect.runs.items():
        image = stage.image(name)
        found = [number for number, runs in after.images.items() if runs == image]
        yield from _differs(f"nodes that run {name}", sorted(numbers), found)
    if component(stage) is not None:
        yield from _differs("strategy", expect.strategy, after.strategy)
    yield from _differs("leftovers", sorted(expect.leftovers), sorted(after.leftovers))
    if expect.refusals:
        yield from _differs("refusals", expect.refusals, list(played.refusals))
    if expect.generation == "unchanged":
        yield from _differs("generation", played.before.generation, after.generation)


def _touched(played: Played) -> list[int]:
    before, after = played.before.plugin_uids, played.after.plugin_uids
    return sorted(number for number, uid in before.items() if after.get(number) != uid)


def _failure(played: Played) -> Iterator[str]:
    """The first failure: in the journal as data, and in words on the way."""
    expect, stage = played.expect, played.stage
    if not expect.gates:
        return
    entry = next((item for item in played.entries if item.result == "failed"), None)
    if entry is None:
        yield f"no gate failed; expected {expect.gates}"
        return
    names = [node.name for node in stage.nodes]
    number = names.index(entry.node) if entry.node in names else None
    gate = text(entry.detail, "gate", "gate")
    if gate not in expect.gates:
        yield f"gate: expected {' or '.join(expect.gates)}, found {gate}"
    yield from _differs("node", expect.node, number)
    for key in ("expected", "seen"):
        wanted, found = getattr(expect, key), text(entry.detail, "gate", key)
        if wanted is not None and stage.fill(wanted) not in found:
            yield f"{key}: expected {stage.fill(wanted)}, found {found}"
    if expect.evidence is not None:
        yield from _proof(stage.fill(expect.evidence), entry)
    shown = [entry.node, gate, text(entry.detail, "gate", "expected")]
    shown += [text(entry.detail, "gate", "seen"), stage.fill(expect.evidence or "")]
    for item in shown:
        if item not in played.output:
            yield f"what is printed lacks {item!r}"


def _proof(wanted: str, entry: Entry) -> Iterator[str]:
    shown = [f"{item.source}: {item.text}" for item in entry.evidence]
    if not any(wanted in item for item in shown):
        yield f"evidence: expected {wanted!r}, found {shown}"


def _words(played: Played) -> Iterator[str]:
    for words in played.expect.says:
        if played.stage.fill(words) not in played.output:
            yield f"what is printed lacks {words!r}"


def _journal(played: Played) -> Iterator[str]:
    names = [node.name for node in played.stage.nodes]
    left = iter(played.entries)
    for moment in played.expect.journal:
        if not any(agrees(moment, entry, names) for entry in left):
            yield f"journal: {moment.model_dump(exclude_none=True)} is not there, or too early"
            return


def _number(pod: str) -> int:
    """The node of a workload, by its name."""
    return int(pod.split("-")[1])


def _moved(played: Played) -> Iterator[str]:
    """Which nodes the plugin has come to and left, and that it offers all devices where it came."""
    before, after = set(played.before.plugin_uids), played.after
    came, left = set(after.plugin_uids) - before, before - set(after.plugin_uids)
    if component(played.stage) is None:
        return
    yield from _differs("gains", sorted(played.expect.gains), sorted(came))
    yield from _differs("loses", sorted(played.expect.loses), sorted(left))
    plugin = played.stage.scenario.given.plugin
    for number in came:
        devices = plugin.devices if plugin is not None else None
        yield from _differs(f"devices of node {number}", devices, after.devices.get(number))


def _promises(played: Played) -> Iterator[str]:
    before, after = played.before, played.after
    for pod, container in before.containers.items():
        wanted = None if _number(pod) in played.expect.gone else container
        yield from _differs(f"container of {pod}", wanted, after.containers.get(pod))
    if played.exit in RESTORED:
        for number, devices in before.devices.items():
            if number not in played.expect.loses:
                yield from _differs(f"devices of node {number}", devices, after.devices.get(number))
    yield from _moved(played)
    if played.exit == UNTOUCHED:
        yield from _differs("generation after exit 1", before.generation, after.generation)
        yield from _differs("plugin pods after exit 1", before.plugin_uids, after.plugin_uids)
