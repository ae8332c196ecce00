"""``bridgehead explain``: cards by name, near names, all of them."""

import json
import re
from pathlib import Path

import pytest

import bridgehead
from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from bridgehead.core.findings.rule import Rule
from bridgehead.core.recover.rung import Rung
from bridgehead.rules.catalogue import DIAGNOSIS, EVERY, FILES, LINT

Output = pytest.CaptureFixture[str]


@pytest.mark.parametrize("rule", [LINT[0], FILES[0], DIAGNOSIS[0]], ids=lambda rule: rule.name)
def test_a_rule_is_shown_with_its_whole_card(rule: Rule, capsys: Output) -> None:
    assert run(["explain", rule.name]) == Exit.DONE
    out = " ".join(capsys.readouterr().out.split())
    card = rule.card
    assert out.startswith(f"{rule.name}: {card.title}")
    for part in (card.finds, card.why, card.sure, card.do):
        assert part in out


def test_a_former_name_is_accepted(capsys: Output) -> None:
    former = [(alias, rule.name) for rule in EVERY for alias in rule.aliases]
    for alias, name in former:
        assert run(["explain", alias]) == Exit.DONE
        assert f"{name}:" in capsys.readouterr().out


def test_a_name_nearly_right_gets_the_right_one_proposed(capsys: Output) -> None:
    assert run(["explain", "surge_on_device_plugn"]) == Exit.USAGE
    told = capsys.readouterr()
    assert told.out == ""
    assert "error: there is no rule surge_on_device_plugn" in told.err
    assert "next: bridgehead explain surge-on-device-plugin" in told.err


def test_a_name_like_no_other_leads_to_the_list(capsys: Output) -> None:
    assert run(["explain", "0"]) == Exit.USAGE
    assert "next: bridgehead explain  # all rules" in capsys.readouterr().err


@pytest.mark.parametrize("rung", Rung, ids=lambda rung: rung.value)
def test_a_rung_that_a_diagnosis_names_has_a_card(rung: Rung, capsys: Output) -> None:
    assert run(["explain", rung.value.lower()]) == Exit.DONE
    told = capsys.readouterr()
    assert told.out.startswith(f"{rung.value}: {rung.title}")
    assert "docs/recover.md" in told.out
    assert f"next: bridgehead recover COMPONENT --node NODE --rung {rung.value}" in told.err


def test_the_card_of_a_rung_names_the_causes_that_ask_for_it(capsys: Output) -> None:
    run(["explain", "R5"])
    assert "Causes: dead-resource-name" in capsys.readouterr().out
    assert run(["explain", "R1", "-o", "json"]) == Exit.DONE
    [card] = json.loads(capsys.readouterr().out)["rungs"]
    assert (card["name"], card["automatic"]) == ("R1", True)
    assert "stream-ended" in card["causes"]


def test_the_word_for_steps_without_a_rung_is_explained_too(capsys: Output) -> None:
    assert run(["explain", "Runbook"]) == Exit.DONE
    told = capsys.readouterr()
    assert told.out.startswith("runbook: what only a person does")
    assert "next: bridgehead recover COMPONENT --node NODE" in told.err
    assert run(["explain", "runbook", "-o", "json"]) == Exit.DONE
    [card] = json.loads(capsys.readouterr().out)["rungs"]
    assert (card["name"], card["byHand"], card["automatic"]) == ("runbook", True, False)


def test_every_word_that_a_rule_puts_in_the_place_of_a_rung_has_a_card(capsys: Output) -> None:
    root = Path(bridgehead.__file__).parent
    words = {
        word
        for folder in ("rules/diagnosis", "core/diagnose")
        for file in (root / folder).rglob("*.py")
        for word in re.findall(r'rung="([^"]+)"', file.read_text())
    }
    assert {"R4", "runbook"} <= words
    for word in words:
        assert run(["explain", word]) == Exit.DONE
        assert capsys.readouterr().out.startswith(f"{word}: ")


def test_alone_it_lists_all_rules(capsys: Output) -> None:
    assert run(["explain"]) == Exit.DONE
    out = capsys.readouterr().out
    assert all(f"  {rule.name} " in out for rule in EVERY)


def test_json_has_every_card(capsys: Output) -> None:
    assert run(["explain", "-o", "json"]) == Exit.DONE
    document = json.loads(capsys.readouterr().out)
    assert document["schema"] == "bridgehead.dev/rules/v1"
    assert [item["name"] for item in document["rules"]] == [rule.name for rule in EVERY]
    assert all(item["finds"] and item["do"] for item in document["rules"])


def test_names_are_unique() -> None:
    names = [name for rule in EVERY for name in (rule.name, *rule.aliases)]
    assert len(names) == len(set(names))
