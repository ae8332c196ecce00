"""Whatever a file holds, reading it for lint ends with values or problems, never with an error."""

from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.findings.manifest import Fix
from bridgehead.sources.charts import read_stream
from bridgehead.sources.fixes import NotFixableError, fixed
from bridgehead.sources.positions import read_text
from bridgehead.sources.yaml_file import yaml_documents

WORDS = """\
a: ~- ~  ~kind: Pod~apiVersion: v1~metadata: {name: a}~---~items:~# bridgehead: ignore[x] y
# Source: a/b.yaml~&x~*x~|~>~'~"~{~}~[~]~: ~? ~<<: ~1~!!int ~!!bool x~!!timestamp x~!!binary x~!x
"""
SPACE = ["\n", "\n", "\n  ", " ", "\t", "\r\n", "\ufeff", "\x00"]
PIECES = st.sampled_from([*WORDS.replace("\n", "~").split("~"), *SPACE])
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=30).map("".join))


@given(TEXTS)
def test_any_text_can_be_read(text: str) -> None:
    read_text(text, "f")
    read_text(text, "f", as_json=True)
    read_stream(text, "f")


PATHS = st.lists(
    st.one_of(st.sampled_from(["a", "metadata", "name"]), st.integers(0, 2)), min_size=1
)
VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.text(), st.lists(st.text()))


@given(TEXTS, st.integers(1, 5), PATHS.map(tuple), VALUES)
def test_a_fix_is_whole_or_none(
    text: str, line: int, path: tuple[str | int, ...], value: object
) -> None:
    try:
        edited = fixed(text, line, Fix(path=path, value=value, why_safe=""))
    except NotFixableError:
        return
    assert list(yaml_documents(edited))
