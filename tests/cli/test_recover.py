"""``bridgehead recover``: what goes together on its command line, and how it ends."""

import json
import sys
from collections.abc import Awaitable
from pathlib import Path

import msgspec
import pytest

from bridgehead.app.component_ref import parse_component
from bridgehead.app.recover import Explained, Explanation, OpenEnd
from bridgehead.app.recover_acts import Acted, ActStopped
from bridgehead.app.rollout import NotAllowed
from bridgehead.cli.endings import stopped
from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from bridgehead.cli.recover import run_command
from bridgehead.cli.recover_endings import Typed, tell
from bridgehead.cluster.access import Missing, Permission
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.observed import Reading
from bridgehead.core.model.device import Offer
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.recover.choice import Choice, assess, choose
from bridgehead.core.recover.past import Past
from bridgehead.core.recover.rung import Rung
from bridgehead.core.recover.situation import Answer, Situation
from tests.core.recover.stage import NOW, R, cause, node, plugin_pod, situation

REF = "daemonset/gpu/plugin"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--command", "reboot"], "--command goes with --rung"),
        (["--rung", "R1", "--command", "reboot"], "--command goes with --rung"),
        (["--rung", "reboot", "--command", " "], "names no program"),
        (["--rung", "reboot", "--yes"], "never done by itself"),
        (["--rung", "R9"], "is not one of"),
    ],
)
def test_what_does_not_go_together_is_told(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["recover", REF, *words]) == Exit.USAGE
    assert said in " ".join(capsys.readouterr().err.split())


def test_a_component_of_another_form_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recover", "plugin"]) == Exit.USAGE
    assert "names no component" in capsys.readouterr().err


def typed(output: str = "text", rung: Rung | None = None) -> Typed:
    return Typed(
        component=REF,
        resource="",
        rung=rung,
        output=output,
        again=f"bridgehead recover {REF}",
        where="",
    )


def explained(seen: Situation) -> Explained:
    return Explained(situation=seen, choice=choose(seen), tried="the server would take it")


ILL = situation(causes=(cause("stream-ended"),))
SOUND = situation(bad=node(1))


def test_something_that_can_be_done_is_a_finding_with_the_command_that_does_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert tell(Explanation(nodes=(explained(ILL),)), typed()) == Exit.FINDINGS
    told = capsys.readouterr()
    assert "take      R1: stream-ended is repaired by R1" in told.out
    assert "would     delete pod gpu/plugin-1 (uid p1) of node n1" in told.out
    assert told.err == f"next: bridgehead recover {REF} --node n1 --yes\n"


@pytest.mark.parametrize(
    ("unread", "code"),
    [((), Exit.DONE), ((Unread("pods", "forbidden"),), Exit.INCOMPLETE)],
)
def test_nothing_wrong_is_done_or_not_known(unread: tuple[Unread, ...], code: Exit) -> None:
    assert tell(Explanation(nodes=(explained(SOUND),), unread=unread), typed()) == code
    assert tell(Explanation(nodes=(), unread=unread), typed()) == code


def test_what_may_not_be_read_makes_no_clean_result(capsys: pytest.CaptureFixture[str]) -> None:
    unread = (Unread("pods", "forbidden", "list pods"), Unread("nodes", "forbidden", "list nodes"))
    assert tell(Explanation(nodes=(), unread=unread), typed()) == Exit.INCOMPLETE
    told = capsys.readouterr()
    assert "not everything needed could be read" in told.out
    assert f"next: grant: list nodes, list pods; then bridgehead recover {REF}\n" in told.err


def test_plugins_that_may_not_be_seen_are_no_clean_result(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def forbidden(*_: object, **__: object) -> object:
        return (), (Unread("daemonsets", "forbidden", "list daemonsets.apps"),)

    monkeypatch.setattr("bridgehead.cli.recover.plugins_there", forbidden)
    monkeypatch.setattr("bridgehead.cli.recover.runner", _Nobody)
    assert run(["recover"]) == Exit.INCOMPLETE
    assert "not read: daemonsets: forbidden" in capsys.readouterr().err


class _Nobody:
    """A runner whose server is never asked."""

    def __init__(self, *_: object, **__: object) -> None:
        pass

    async def __aenter__(self) -> tuple[None, "_Nobody"]:
        return None, self

    async def __aexit__(self, *_: object) -> None:
        pass

    async def result_of(self, work: Awaitable[object]) -> object:
        return await work


@pytest.mark.parametrize(
    ("undiagnosed", "code", "said"),
    [
        ((), Exit.DONE, "nothing is wrong; nothing was done"),
        (("events: forbidden",), Exit.INCOMPLETE, "nothing is wrong as far as was read"),
    ],
)
def test_with_consent_too_nothing_wrong_is_done_or_not_known(
    undiagnosed: tuple[str, ...], code: Exit, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sound = msgspec.structs.replace(SOUND, undiagnosed=undiagnosed)
    choice = Choice(assessments=(), chosen=None, why="the node offers what it should")
    assert tell(Explained(situation=sound, choice=choice), typed("json")) == code
    told = capsys.readouterr()
    assert said in told.err
    assert json.loads(told.out)["nodes"][0]["undiagnosed"] == list(undiagnosed)


def test_a_runbook_says_its_risks_and_how_ones_own_command_is_run(
    capsys: pytest.CaptureFixture[str],
) -> None:
    named = assess(SOUND, Rung.REBOOT)
    choice = choose(SOUND)
    shown = Explained(
        situation=SOUND, choice=type(choice)(assessments=(named,), chosen=None, why="by hand")
    )
    assert tell(Explanation(nodes=(shown,)), typed(rung=Rung.REBOOT)) == Exit.DONE
    told = capsys.readouterr()
    assert "risk      every pod of the node ends" in told.out
    assert "would     on the node: systemctl reboot" in told.out
    assert "--yes --command ARGV, or by hand as shown" in told.err


def test_a_precondition_that_does_not_hold_is_a_finding(
    capsys: pytest.CaptureFixture[str],
) -> None:
    refused = situation(causes=(cause("allocate-hangs"),))
    assert tell(explained(refused), typed()) == Exit.FINDINGS
    assert "nothing was done" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verified", "code", "word"),
    [
        (True, Exit.DONE, "R1 verified"),
        (None, Exit.DONE, "R1 done"),
        (False, Exit.NEEDS_A_PERSON, "R1 NOT verified"),
    ],
)
def test_what_was_done_ends_by_whether_it_has_helped(
    verified: bool | None, code: Exit, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    choice = choose(ILL)
    assert choice.chosen is not None
    acted = Acted(
        situation=ILL, assessment=choice.chosen, verified=verified, said="so", head="sha256:1"
    )
    assert tell(acted, typed()) == code
    assert word in capsys.readouterr().out
    assert tell(acted, typed("json")) == code
    shown = json.loads(capsys.readouterr().out)
    assert (shown["schema"], shown["node"], shown["verified"]) == (
        "bridgehead.dev/recovery/v1",
        "n1",
        verified,
    )


@pytest.mark.parametrize("output", ["text", "json"])
def test_a_recovery_that_is_stopped_says_what_was_done_and_that_it_counts(
    output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    choice = choose(ILL)
    assert choice.chosen is not None
    acted = Acted(
        situation=ILL, assessment=choice.chosen, verified=None, said="done: so", head="sha256:1"
    )
    assert stopped(ActStopped(acted), Exit.INTERRUPTED, output, "again") == Exit.INTERRUPTED
    told = capsys.readouterr()
    assert "R1 on node n1 is not verified: done: so" in told.err
    assert "it counts as taken: at most one restart a node and hour" in told.err
    assert f"next: bridgehead diagnose {REF}" in told.err
    assert "nothing was changed" not in told.err
    if output == "json":
        assert json.loads(told.out)["journalHead"] == "sha256:1"


def test_waiting_in_vain_has_done_nothing_and_leads_to_the_next_rung(
    capsys: pytest.CaptureFixture[str],
) -> None:
    acted = Acted(
        situation=ILL, assessment=assess(ILL, Rung.WAIT), verified=False, said="still fewer"
    )
    assert tell(acted, typed()) == Exit.FINDINGS
    assert f"next: bridgehead recover {REF}" in capsys.readouterr().err


def test_an_explanation_is_data_with_every_precondition(
    capsys: pytest.CaptureFixture[str],
) -> None:
    tell(Explanation(nodes=(explained(ILL),)), typed("json"))
    (shown,) = json.loads(capsys.readouterr().out)["nodes"]
    assert (shown["take"], shown["causes"]) == ("R1", ["stream-ended"])
    (rung,) = shown["rungs"]
    assert {item["verdict"] for item in rung["preconditions"]} == {"met"}


async def test_ones_own_command_is_run_without_a_shell() -> None:
    code, said = await run_command((sys.executable, "-c", "import sys; print(sys.argv)", "$HOME;"))
    assert (code, said) == (0, "['-c', '$HOME;']")
    code, said = await run_command(("/no/such/program",))
    assert code == 127
    assert "No such file" in said
    assert (await run_command((sys.executable, "-c", "raise SystemExit(3)")))[0] == 3


def test_a_proposed_command_keeps_the_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    given = msgspec.structs.replace(typed(), baseline=" --baseline was.json")
    tell(Explanation(nodes=(explained(ILL),)), given)
    assert f"recover {REF} --node n1 --baseline was.json --yes" in capsys.readouterr().err
    tell(Explanation(nodes=()), given)
    assert f"diagnose {REF} --baseline was.json" in capsys.readouterr().err


def test_where_only_a_baseline_lacks_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    untold = situation(
        bad=node(1, Offer(0, 0)), others=(), plugin_pods=(plugin_pod(1),), asked=True
    )
    named = (assess(untold, Rung.RESTART),)
    choice = Choice(assessments=named, chosen=None, why="nothing tells")
    shown = Explained(situation=untold, choice=choice)
    for result, consent in ((Explanation(nodes=(shown,)), ""), (shown, " --yes")):
        tell(result, typed())
        assert f"next: bridgehead recover {REF}{consent} --baseline FILE" in capsys.readouterr().err


def test_a_forbidden_dry_run_ends_with_the_grant(capsys: pytest.CaptureFixture[str]) -> None:
    untried = Answer(None, "could not be asked", "create pods in namespace gpu")
    refused = situation(causes=(cause("stream-ended"),), dry_run=untried)
    assert tell(explained(refused), typed()) == Exit.CANNOT
    grant = "next: grant: create pods in namespace gpu; then bridgehead recover"
    assert grant in capsys.readouterr().err


GRANT = "list configmaps in namespace bridgehead"


def test_without_records_the_grant_comes_before_the_command_that_writes(
    capsys: pytest.CaptureFixture[str],
) -> None:
    unread = (Unread("runs and recoveries recorded", "forbidden", GRANT),)
    found = Explanation(nodes=(explained(ILL),), unread=unread, grant=GRANT)
    assert tell(found, typed()) == Exit.FINDINGS
    told = capsys.readouterr().err
    assert "not read: runs and recoveries recorded: forbidden" in told
    assert f"next: grant: {GRANT}; then bridgehead recover {REF} --node n1 --yes" in told


def test_without_records_no_rung_may_fit_and_the_grant_is_what_comes_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    dark = situation(causes=(cause("stream-ended"),), unrecorded="forbidden")
    unread = (Unread("runs and recoveries recorded", "forbidden", GRANT),)
    found = Explanation(nodes=(explained(dark),), unread=unread, grant=GRANT)
    assert tell(found, typed()) == Exit.FINDINGS
    told = capsys.readouterr()
    assert "met       the node is Ready" in told.out
    assert "not known no run keeps the component" in told.out
    assert f"next: grant: {GRANT}; then bridgehead recover {REF}\n" in told.err


def test_missing_rights_say_what_cannot_be_done_without_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lacks = Missing(Permission(("list",), "configmaps", "", "bridgehead", "keep the journal"))
    why = "the limits of recovery cannot be judged: forbidden"
    assert tell(NotAllowed((lacks,), "me", (lacks,), why), typed()) == Exit.CANNOT
    told = capsys.readouterr().err
    assert f"error: {why}; permissions are missing for me; nothing was changed" in told
    assert "list configmaps in namespace bridgehead: keep the journal" in told
    assert "then the same command again" in told


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ("", "has no end in the journal: it goes on still, or was broken off"),
        ("interrupted", "was interrupted before anybody saw whether it has helped"),
    ],
)
def test_an_earlier_recovery_without_a_verdict_is_told(
    ended: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = Past(at=NOW - 60, rung=Rung.RESTART, node="n1", what="gpu/plugin-1", ended=ended)
    ends = (OpenEnd(parse_component(REF), before),)
    shown = explained(msgspec.structs.replace(ILL, past=(before,)))
    found = Explanation(nodes=(), open_ends=ends)
    for result, code in ((found, Exit.DONE), (shown, Exit.FINDINGS)):
        assert tell(result, typed()) == code
        told = capsys.readouterr().out
        assert "R1 on node n1 (gpu/plugin-1), begun 1970-01-02T03:45:40.000Z" in told
        assert f"{said}; bridgehead journal {REF} shows it" in told
        assert tell(result, typed("json")) == code
        (end,) = json.loads(capsys.readouterr().out)["openEnds"]
        assert (end["component"], end["node"], end["result"]) == (REF, "n1", ended)


def test_line_breaks_and_control_characters_stay_on_their_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    loud = "it broke\n::error::all is lost\x1b[31m"
    ill = situation(causes=(cause("stream-ended", message=loud),), undiagnosed=(loud,))
    shown = msgspec.structs.replace(explained(ill), tried=loud)
    unread = (Unread(loud, loud),)
    tell(Explanation(nodes=(shown,), unread=unread), typed())
    choice = choose(ILL)
    assert choice.chosen is not None
    tell(Acted(situation=ILL, assessment=choice.chosen, verified=True, said=loud), typed())
    told = capsys.readouterr()
    for line in (*told.out.splitlines(), *told.err.splitlines()):
        assert not line.lstrip().startswith("::")
        assert "\x1b" not in line
    assert "it broke ::error::all is lost [31m" in told.out


def test_a_dead_name_goes_only_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    old = "example.com/old"
    dead = situation(
        bad=node(1, offers={R: Offer(4, 4), old: Offer(0, 0)}),
        causes=(cause("dead-resource-name"),),
        history=(Reading(at=NOW - 700, node="n1", resource=old, capacity=0, allocatable=0),),
    )
    choice = choose(dead)
    assert choice.chosen is not None
    assert choice.chosen.rung is Rung.DEAD_NAME
    tell(Explanation(nodes=(Explained(situation=dead, choice=choice),)), typed())
    assert f"next: bridgehead recover {REF} --node n1 --rung R5 --yes" in capsys.readouterr().err
    unnamed = msgspec.structs.replace(choice, chosen=None, why="only by its name")
    assert tell(Explained(situation=dead, choice=unnamed), typed()) == Exit.FINDINGS
    assert f"next: bridgehead recover {REF} --rung R5 --yes" in capsys.readouterr().err


def test_what_a_dry_run_lacks_comes_before_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    untried = Answer(None, "could not be asked", "create pods in namespace gpu")
    unasked = explained(situation(causes=(cause("stream-ended"),), dry_run=untried))
    tell(Explanation(nodes=(unasked,)), typed())
    grant = f"next: grant: create pods in namespace gpu; then bridgehead recover {REF}\n"
    assert grant in capsys.readouterr().err
    refused = msgspec.structs.replace(explained(ILL), grant="delete pods in namespace gpu")
    tell(Explanation(nodes=(refused,)), typed())
    grant = f"next: grant: delete pods in namespace gpu; then bridgehead recover {REF} --node n1"
    assert grant in capsys.readouterr().err


def test_what_is_seen_and_not_wrong_is_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    harmless = cause("dead-resource-name", severity=Severity.INFO)
    shown = explained(situation(bad=node(1), causes=(harmless,)))
    assert tell(Explanation(nodes=(shown,)), typed()) == Exit.DONE
    assert "seen      dead-resource-name: it is dead-resource-name" in capsys.readouterr().out
    tell(Explanation(nodes=(shown,)), typed("json"))
    (one,) = json.loads(capsys.readouterr().out)["nodes"]
    assert (one["causes"], one["seen"]) == ([], ["dead-resource-name"])


FROM = Path(__file__).parents[1] / "cases/loss-1/state"


def test_a_recorded_state_is_explained_as_far_as_it_tells(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["recover", "--from", str(FROM)]) == Exit.FINDINGS
    told = capsys.readouterr()
    assert "met       the image is on the node" in told.out
    assert "this is a recorded state, which holds no journal" in told.out
    assert "# of the live cluster" in told.err
    assert "--from" not in told.err.partition("next:")[2]


def test_no_rung_is_taken_for_one_plugin_that_would_repair_another(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A pod asks for devices of both, and those of the other plugin are gone."""
    state = FROM.parents[1] / "loss-2/state"
    sound, ill = "nvidia-device-plugin-daemonset", "rdma-shared-dp-ds"
    causes = {}
    for name in (sound, ill):
        words = (f"daemonset/kube-system/{name}", "--from", str(state), "--node", "51qd0w2")
        run(["recover", *words, "-o", "json"])
        (node,) = json.loads(capsys.readouterr().out)["nodes"]
        causes[name] = (node["causes"], [item["rung"] for item in node["rungs"]])
    assert causes == {sound: ([], []), ill: (["kubelet-restart-missed"], ["R1"])}


def test_nothing_is_done_to_a_recorded_state(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recover", REF, "--from", str(FROM), "--yes"]) == Exit.USAGE
    assert "nothing is done to a recorded one" in capsys.readouterr().err


def test_a_plugin_that_was_not_recorded_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["recover", "daemonset/no/where", "--from", str(FROM)]) == Exit.USAGE
    told = capsys.readouterr().err
    assert "daemonset/no/where is not there" in told
    assert f"next: bridgehead diagnose --from {FROM}" in told


@pytest.mark.parametrize(
    ("consent", "left"),
    [
        (["--yes"], f"what was begun on a node is not verified: 'bridgehead journal {REF}"),
        ([], "nothing was changed by this command"),
    ],
)
def test_a_recovery_that_is_left_at_once_leads_to_its_journal(
    consent: list[str], left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []

    class Left(_Nobody):
        def __init__(self, *_: object, without_run: str) -> None:
            said.append(without_run)

    async def nothing(*_: object) -> Explanation:
        return Explanation(nodes=())

    monkeypatch.setattr("bridgehead.cli.recover.runner", Left)
    monkeypatch.setattr("bridgehead.cli.recover.take", nothing)
    monkeypatch.setattr("bridgehead.cli.recover.explain", nothing)
    assert run(["recover", REF, *consent]) == Exit.DONE
    assert [item.startswith(left) for item in said] == [True]
