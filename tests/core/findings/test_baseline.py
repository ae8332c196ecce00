"""Old findings are known again wherever in the file they moved to; new ones are not old ones."""

import msgspec

from bridgehead.core.findings.baseline import baseline_of, known_in, part
from bridgehead.core.findings.result import Reported
from bridgehead.core.model.json import JsonObject
from tests.core.findings.lint_values import found


def _known(*items: Reported) -> dict[str, int]:
    document = msgspec.json.decode(msgspec.json.encode(baseline_of(items)))
    known = known_in(document)
    assert known is not None
    return dict(known)


def test_lines_and_files_may_change() -> None:
    parted = part([found(line=90, first_line=80, file="b.yaml")], _known(found()))
    assert (len(parted.new), len(parted.old), parted.gone) == (0, 1, 0)


def test_places_in_a_message_may_change_and_versions_may_not() -> None:
    old = found(message="the same as in a/b.yaml:12:3, image p:1")
    moved = found(message="the same as in /c/b.yml:99, image p:1")
    other = found(message="the same as in a/b.yaml:12:3, image p:2")
    assert part([moved, other], _known(old)).new == (other,)


def test_another_message_path_rule_or_node_is_new() -> None:
    others = [found(message="x"), found(path=("spec",)), found("other"), found(node="n")]
    parted = part(others, _known(found()))
    assert (parted.new, parted.gone) == (tuple(others), 1)


def test_the_same_fault_a_second_time_is_new() -> None:
    twice = [found(line=1), found(line=2)]
    parted = part(twice, _known(found()))
    assert (parted.old, parted.new) == ((twice[0],), (twice[1],))
    assert part(twice, _known(*twice)).new == ()


def test_the_document_is_the_same_whatever_the_order() -> None:
    one, two = found("a"), found("b")
    assert baseline_of([one, two]) == baseline_of([two, one])


def test_another_document_is_no_baseline() -> None:
    assert known_in({"schema": "bridgehead.dev/lint/v1", "findings": []}) is None


def test_an_empty_baseline_knows_nothing() -> None:
    assert _known() == {}


def test_an_entry_that_counts_nothing_sensible_counts_once() -> None:
    entries: list[JsonObject] = [
        {"fingerprint": "a", "count": -3},
        {"fingerprint": "b", "count": "two"},
    ]
    document: JsonObject = {"schema": baseline_of(())["schema"], "findings": entries}
    assert known_in(document) == {"a": 1, "b": 1}
