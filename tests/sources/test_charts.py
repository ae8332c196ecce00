"""Charts: rendered by helm, shown at the lines of their templates. Renderings are helm 4.3.2's."""

from pathlib import Path

import pytest

from bridgehead.sources import renderer
from bridgehead.sources.charts import read_chart, read_stream
from tests.sources.plugin import SURGE
from tests.sources.programs import arguments, program

TEMPLATE = (
    "{{- if .Values.on }}\n"
    + SURGE.replace("name: plugin\nspec", "name: {{ .Release.Name }}-plugin\nspec").replace(
        "maxSurge: 1", "# bridgehead: ignore[one] why\n      maxSurge: {{ .Values.surge }}"
    )
    + "{{- end }}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n"
)
SOURCE = "# Source: device-chart/templates/plugin.yaml\n"
RENDERED = (
    f"---\n{SOURCE}apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n---\n{SOURCE}"
    + SURGE.replace("name: plugin\nspec", "name: release-name-plugin\nspec").replace(
        "maxSurge: 1", "# bridgehead: ignore[one] why\n      maxSurge: 1"
    )
)
SURGES_AT = ("spec", "updateStrategy", "rollingUpdate", "maxSurge")


@pytest.fixture
def chart(tmp_path: Path) -> Path:
    """A chart whose folder has another name than the chart."""
    folder = tmp_path / "chart"
    (folder / "templates").mkdir(parents=True)
    (folder / "Chart.yaml").write_text("name: device-chart\nversion: 1.0.0\n", encoding="utf-8")
    (folder / "templates" / "plugin.yaml").write_text(TEMPLATE, encoding="utf-8")
    return folder


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    return folder


def _line(text: str) -> int:
    return 1 + next(n for n, line in enumerate(TEMPLATE.splitlines()) if text in line)


def test_values_are_shown_at_the_template_lines_that_made_them(chart: Path, programs: Path) -> None:
    program(programs, "helm", prints=RENDERED)
    found = read_chart(chart)
    (unit,) = found.units
    settings, plugin = unit.manifests
    assert (unit.complete, unit.fixable) == (True, False)
    assert plugin.file == str(chart / "templates" / "plugin.yaml")
    assert plugin.line == 2
    assert plugin.place(("metadata", "name")) == (_line(".Release.Name"), 3)
    assert plugin.place(SURGES_AT) == (_line("maxSurge"), 7)
    assert settings.place(("metadata", "name"))[0] == _line("name: settings")
    assert arguments(programs, "helm")[0] == "template"
    assert "--include-crds" in arguments(programs, "helm")


def test_comments_of_a_template_count_for_what_it_renders_to(chart: Path, programs: Path) -> None:
    program(programs, "helm", prints=RENDERED)
    (ignore,) = read_chart(chart).ignores
    assert (ignore.line, ignore.target) == (_line("bridgehead"), _line("maxSurge"))


def test_without_helm_it_is_said_how_to_render_elsewhere(chart: Path, programs: Path) -> None:
    (problem,) = read_chart(chart).problems
    assert "no helm on PATH" in problem.message
    assert "bridgehead lint -" in problem.message


def test_what_helm_complains_of_is_told(chart: Path, programs: Path) -> None:
    program(programs, "helm", says="Error: found in Chart.yaml,\n but missing: x", code=1)
    (problem,) = read_chart(chart).problems
    assert problem.file == str(chart / "Chart.yaml")
    assert problem.message.endswith("Error: found in Chart.yaml, but missing: x")


def test_a_program_that_does_not_end_is_left(tmp_path: Path) -> None:
    (tmp_path / "helm").write_text("#!/bin/sh\nexec sleep 60\n", encoding="utf-8")
    (tmp_path / "helm").chmod(0o755)
    with pytest.raises(renderer.RenderError, match="did not end within"):
        renderer.rendered([str(tmp_path / "helm")], longest=0.05)


def test_a_library_renders_to_nothing(chart: Path, programs: Path) -> None:
    program(programs, "helm", says="library charts are not installable", code=1)
    (chart / "Chart.yaml").write_text("name: l\ntype: library\n", encoding="utf-8")
    assert read_chart(chart).problems == ()


def test_on_the_standard_input_files_are_those_of_the_comments_and_lines_those_that_came_in() -> (
    None
):
    found = read_stream(RENDERED, "<stdin>")
    (unit,) = found.units
    settings, plugin = unit.manifests
    assert unit.complete
    assert {plugin.file, settings.file} == {"device-chart/templates/plugin.yaml"}
    shown = RENDERED.splitlines()[plugin.place(SURGES_AT)[0] - 1]
    assert shown.strip() == "maxSurge: 1"
    assert found.ignores[0].file == plugin.file


def test_a_stream_without_such_comments_is_just_objects() -> None:
    (unit,) = read_stream(SURGE, "<stdin>").units
    assert not unit.complete
    assert [item.file for item in unit.manifests] == ["<stdin>"]


def test_a_stream_may_be_json() -> None:
    text = '{"apiVersion": "v1", "kind": "List", "items": []}'
    assert read_stream(text, "<stdin>").asked == ()


def test_a_broken_stream_is_a_problem_with_what_was_asked_for() -> None:
    (problem,) = read_stream("a: [", "<stdin>").asked
    assert problem.file == "<stdin>"
