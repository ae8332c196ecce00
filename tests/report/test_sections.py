"""Sections of a report as aligned text and as Markdown."""

from hypothesis import given
from hypothesis import strategies as st

from bridgehead.report.sections import WIDTH, Section, as_markdown, as_text

NODES = Section("Nodes", ("NODE", "STATUS"), (("n1", "Ready"), ("node-22", "NotReady")), ("note",))


def test_text_is_aligned_like_kubectl() -> None:
    assert as_text([NODES]) == (
        "Nodes\n  NODE     STATUS\n  n1       Ready\n  node-22  NotReady\n  note\n"
    )


def test_sections_are_separated_by_an_empty_line() -> None:
    assert as_text([Section("A", lines=("x",)), Section("B")]) == "A\n  x\n\nB\n"


def test_descriptive_cell_gives_way_in_its_middle() -> None:
    rows = (("short", "first" + "l" * 40 + "last"),)
    text = as_text([Section("A", ("X", "WHY"), rows)], width=20)
    assert text.splitlines()[2] == "  short  first…llast"


def test_name_is_never_cut() -> None:
    name = "daemonset/namespace/" + "n" * 100
    text = as_text([Section("A", ("COMPONENT", "WHY"), ((name, "because it is so"),))])
    assert name in text


def test_long_lines_are_wrapped_between_words() -> None:
    text = as_text([Section("A", lines=("one two three-four",))], width=12)
    assert text == "A\n  one two\n    three-four\n"


CELLS = st.text("ab-/.", max_size=120)


@given(st.lists(st.tuples(CELLS, CELLS, CELLS)))
def test_no_row_of_descriptions_is_wider_than_the_page(rows: list[tuple[str, str, str]]) -> None:
    text = as_text([Section("A", ("OS", "RUNTIME", "WHY"), tuple(rows))])
    assert all(len(line) <= WIDTH for line in text.splitlines())


def test_markdown_keeps_cells_whole_and_harmless() -> None:
    section = Section("A", ("X",), (("a|b_c<d>" + "l" * 120,),), ("*note*",))
    assert as_markdown([section]) == (
        "## A\n\n| X |\n| --- |\n| a\\|b\\_c\\<d\\>" + "l" * 120 + " |\n\n- \\*note\\*\n"
    )


def test_names_over_several_lines_stay_on_one_and_are_no_commands_in_a_ci_log() -> None:
    name = "n\n::error::x"
    section = Section(name, ("NODE",), ((name,), ("::warning::y",)), ("one two ::error::z",))
    assert as_text([section], width=10) == (
        "n ::error::x\n  NODE\n  n ::error::x\n  : :warning::y\n  one two\n    : :error::z\n"
    )
    assert as_markdown([section]).splitlines()[0] == "## n ::error::x"
    assert "| n ::error::x |" in as_markdown([section]).splitlines()
