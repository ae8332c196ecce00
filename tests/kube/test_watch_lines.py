"""Lines out of chunks, however they are cut."""

from hypothesis import given
from hypothesis import strategies as st

from bridgehead.kube.watch_lines import LineSplitter


@given(lines=st.lists(st.binary(min_size=1).filter(lambda line: b"\n" not in line)), data=st.data())
def test_lines_do_not_depend_on_how_they_are_cut(lines: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(line + b"\n" for line in lines)
    splitter = LineSplitter()
    found: list[bytes] = []
    while whole:
        size = data.draw(st.integers(1, len(whole)))
        found.extend(splitter.feed(whole[:size]))
        whole = whole[size:]
    assert found == lines


def test_a_fragment_is_not_a_line() -> None:
    assert LineSplitter().feed(b'{"type":') == []
