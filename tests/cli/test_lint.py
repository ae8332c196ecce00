"""``bridgehead lint``: what goes where, exit codes, baseline, fixes."""

import asyncio
import io
import json
import shutil
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from xml.etree import ElementTree

import pytest
from aiohttp import web

from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.result import LintResult
from bridgehead.core.findings.rule import LintRule
from bridgehead.rules.lint import catalogue
from bridgehead.rules.lint.updates import surge_on_device_plugin
from bridgehead.sources.lintable import Lintable
from tests.cli.kubeconfigs import write_kubeconfig
from tests.cluster.api_server import OBJECTS, ApiServer
from tests.core.findings.lint_values import rule
from tests.sources.plugin import SURGE

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples"
Output = pytest.CaptureFixture[str]
SURGES = surge_on_device_plugin.RULE


@pytest.fixture(autouse=True)
def rules(monkeypatch: pytest.MonkeyPatch) -> list[LintRule]:
    """The rules that are asked: the one about surges; a test may add others."""
    asked = [SURGES]
    from bridgehead.app import lint as use_case  # noqa: PLC0415

    plain = use_case.lint

    def linted(
        source: Lintable, cluster: Observed | None, known: Mapping[str, int] | None = None
    ) -> LintResult:
        return plain(source, cluster, known, tuple(asked))

    monkeypatch.setattr(use_case, "lint", linted)
    monkeypatch.setattr(catalogue, "LINT", (SURGES,))
    return asked


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A file with one error."""
    path = tmp_path / "plugin.yaml"
    path.write_text(SURGE, encoding="utf-8")
    return path


def test_an_error_is_shown_at_its_place_with_the_command_that_explains_it(
    file: Path, capsys: Output
) -> None:
    assert run(["lint", str(file)]) == Exit.FINDINGS
    told = capsys.readouterr()
    assert told.out.startswith(f"{file}:9:7: error: maxSurge is 1")
    assert told.err == "next: bridgehead explain surge-on-device-plugin\n"


def test_without_a_fault_the_next_step_is_a_plan_where_there_is_a_spec(
    file: Path, capsys: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    file.write_text(SURGE.replace("maxSurge: 1", "maxSurge: 0"), encoding="utf-8")
    assert run(["lint", str(file)]) == Exit.DONE
    told = capsys.readouterr()
    assert told.out == "0 errors, 0 warnings, 0 remarks in 1 object of 1 file\n"
    assert told.err.startswith("next: the same command with --context NAME")
    (file.parent / "bridgehead.yaml").write_text("{}", encoding="utf-8")
    assert run(["lint", str(file)]) == Exit.DONE
    assert capsys.readouterr().err == "next: bridgehead plan -f bridgehead.yaml\n"


def test_a_mild_finding_counts_only_if_asked_for(file: Path) -> None:
    text = SURGE.replace(
        "maxSurge: 1", "maxSurge: 0 # bridgehead: ignore[surge-on-device-plugin] x"
    )
    file.write_text(text, encoding="utf-8")
    assert run(["lint", str(file)]) == Exit.DONE
    assert run(["lint", str(file), "--fail-on", "info"]) == Exit.FINDINGS


@pytest.mark.parametrize("output", ["text", "json", "sarif", "junit", "github"])
def test_every_form_is_the_same_twice(file: Path, output: str, capsys: Output) -> None:
    printed = []
    for _ in range(2):
        assert run(["lint", str(file), "-o", output]) == Exit.FINDINGS
        printed.append(capsys.readouterr().out)
    assert printed[0] == printed[1]
    assert "maxSurge is 1" in printed[0]


def test_forms_for_programs_can_be_read_by_them(file: Path, capsys: Output) -> None:
    run(["lint", str(file), "-o", "sarif"])
    assert json.loads(capsys.readouterr().out)["version"] == "2.1.0"
    run(["lint", str(file), "-o", "junit"])
    assert ElementTree.fromstring(capsys.readouterr().out).tag == "testsuites"


def test_a_path_that_is_not_there_is_exit_2_and_the_rest_is_done(
    file: Path, capsys: Output
) -> None:
    assert run(["lint", "none.yaml", str(file)]) == Exit.USAGE
    told = capsys.readouterr()
    assert "maxSurge is 1" in told.out
    assert "not read: none.yaml:1:1: there is no such file or folder" in told.err


def test_a_broken_file_in_a_folder_is_exit_8_and_behind_findings(
    file: Path, capsys: Output
) -> None:
    (file.parent / "broken.yaml").write_text("a: [\n", encoding="utf-8")
    assert run(["lint", str(file.parent)]) == Exit.FINDINGS
    assert "broken.yaml:2:1: this is no YAML" in capsys.readouterr().err
    file.write_text(SURGE.replace("maxSurge: 1", "maxSurge: 0"), encoding="utf-8")
    assert run(["lint", str(file.parent)]) == Exit.INCOMPLETE


def test_a_rule_that_fails_is_exit_8_and_no_finding(
    file: Path, rules: list[LintRule], capsys: Output
) -> None:
    def crashes(_linted: object) -> list[object]:
        raise KeyError("containers")

    file.write_text(SURGE.replace("maxSurge: 1", "maxSurge: 0"), encoding="utf-8")
    rules.append(rule("broken", crashes))  # type: ignore[arg-type]
    assert run(["lint", str(file)]) == Exit.INCOMPLETE
    told = capsys.readouterr()
    assert told.out.startswith("0 errors")
    assert "defect of bridgehead: rule broken failed" in told.err


def test_the_standard_input_is_read(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    text = f"---\n# Source: chart/templates/plugin.yaml\n{SURGE}"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert run(["lint", "-"]) == Exit.FINDINGS
    assert capsys.readouterr().out.startswith("chart/templates/plugin.yaml:11:7: error")


def test_old_findings_in_a_baseline_are_counted_and_pass(file: Path, capsys: Output) -> None:
    known = file.parent / "known.json"
    arguments = ["lint", str(file), "--baseline", str(known)]
    assert run([*arguments, "--write-baseline"]) == Exit.DONE
    first = known.read_bytes()
    file.write_text(f"# moved\n{SURGE}", encoding="utf-8")
    assert run(arguments) == Exit.DONE
    assert "1 in the baseline" in capsys.readouterr().out
    assert run([*arguments, "--write-baseline"]) == Exit.DONE
    assert known.read_bytes() == first


@pytest.mark.parametrize(
    ("content", "why"),
    [(None, "cannot be read"), ("{", "is no baseline"), ("[]", "is no baseline")],
)
def test_a_baseline_that_is_none_is_wrong_usage(
    file: Path, content: str | None, why: str, capsys: Output
) -> None:
    known = file.parent / "known.json"
    if content is not None:
        known.write_text(content, encoding="utf-8")
    assert run(["lint", str(file), "--baseline", str(known)]) == Exit.USAGE
    assert why in capsys.readouterr().err


def test_a_fix_is_shown_first_and_written_when_told_to(file: Path, capsys: Output) -> None:
    assert run(["lint", str(file), "--fix"]) == Exit.FINDINGS
    told = capsys.readouterr()
    assert "-      maxSurge: 1\n+      maxSurge: 0\n" in told.out
    assert "nothing was written: the same command with --yes" in told.err
    assert file.read_text(encoding="utf-8") == SURGE
    assert run(["lint", str(file), "--fix", "--yes"]) == Exit.DONE
    assert f"written: {file}" in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == SURGE.replace("maxSurge: 1", "maxSurge: 0")


def test_what_cannot_be_mended_is_told(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SURGE.encode())))
    assert run(["lint", "-", "--fix"]) == Exit.FINDINGS
    err = capsys.readouterr().err
    assert "not mended: surge-on-device-plugin of DaemonSet/plugin in <stdin>:9" in err
    assert "there is nothing that can be mended without harm" in err


@pytest.mark.parametrize(
    "options", [["--write-baseline"], ["--yes"], ["--fix", "-o", "json"], ["--fail-on", "never"]]
)
def test_options_that_do_not_go_together_are_wrong_usage(file: Path, options: list[str]) -> None:
    assert run(["lint", str(file), *options]) == Exit.USAGE


def test_a_recorded_state_is_looked_at_where_no_path_is_given(
    tmp_path: Path, capsys: Output
) -> None:
    state = tmp_path / "state"
    state.mkdir()
    (state / "recorded.yaml").write_text("at: 2026-01-01T00:00:00Z\n", encoding="utf-8")
    (state / "plugin.yaml").write_text(SURGE, encoding="utf-8")
    assert run(["lint", "--from", str(state)]) == Exit.FINDINGS
    assert capsys.readouterr().out.startswith("error: maxSurge is 1")


def test_a_broken_file_of_a_recorded_state_is_exit_8(file: Path, capsys: Output) -> None:
    file.write_text(SURGE.replace("maxSurge: 1", "maxSurge: 0"), encoding="utf-8")
    state = file.parent / "state"
    state.mkdir()
    (state / "recorded.yaml").write_text("at: 2026-01-01T00:00:00Z\n", encoding="utf-8")
    (state / "half.json").write_text('{"kind": "Lis', encoding="utf-8")
    assert run(["lint", str(file), "--from", str(state)]) == Exit.INCOMPLETE
    assert "half.json:1:10: this is no JSON" in capsys.readouterr().err


def test_manifests_are_judged_against_a_recorded_state(file: Path, capsys: Output) -> None:
    state = file.parent / "cluster.json"
    shutil.copy(EXAMPLES / "cluster.json", state)
    assert run(["lint", str(file), "--from", str(state)]) == Exit.FINDINGS
    assert capsys.readouterr().out.startswith(f"{file}:9:7: error")


class Sparse(ApiServer):
    """Has no objects of the kinds that it was not told of."""

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.path in OBJECTS or request.path in {*self.forbidden, "/version"}:
            return await super().serve(request)
        return web.json_response({"metadata": {}, "items": []})


@pytest.fixture
async def server() -> AsyncIterator[ApiServer]:
    async with Sparse() as running:
        yield running


@pytest.fixture
def kubeconfig(server: ApiServer, tmp_path: Path) -> Path:
    return write_kubeconfig(tmp_path / "kubeconfig", server.url)


async def test_a_live_cluster_is_looked_at(kubeconfig: Path, capsys: Output) -> None:
    code = await asyncio.to_thread(run, ["lint", "--kubeconfig", str(kubeconfig)])
    # The node and the DaemonSet; the pod is about no device.
    assert (code, capsys.readouterr().out) == (
        Exit.DONE,
        "0 errors, 0 warnings, 0 remarks in 2 objects\n",
    )


async def test_a_kind_that_may_not_be_read_is_told_with_the_permission(
    server: ApiServer, kubeconfig: Path, capsys: Output
) -> None:
    server.forbidden = {"/apis/apps/v1/daemonsets"}
    code = await asyncio.to_thread(run, ["lint", "--kubeconfig", str(kubeconfig)])
    told = capsys.readouterr().err
    assert code == Exit.INCOMPLETE
    assert "not read: daemonsets" in told
    assert "next: grant: list daemonsets.apps; then the same command again" in told


def test_a_cluster_out_of_reach_is_exit_6(tmp_path: Path) -> None:
    assert run(["lint", "--kubeconfig", str(tmp_path / "none")]) == Exit.CANNOT
