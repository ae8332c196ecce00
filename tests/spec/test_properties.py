"""Whatever stands in a file, reading it ends in settings or in problems, and never in an error."""

import yaml
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.spec import SpecAccepted, problems_text, read_spec
from bridgehead.spec.schema import rollout_schema
from tests.spec.specs import MINIMAL, accepted

_SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 200),
    st.floats(allow_nan=True),
    st.sampled_from(
        ["30s", "10%", "a=b", "keep", "hold", "no", "1:30", "x y", "vendor.com/gpu", ""]
    ),
)
_KNOWN = {key for node in rollout_schema()["$defs"].values() for key in node.get("properties", {})}
_KEYS = st.sampled_from([*sorted(_KNOWN), "helm", "gpuOperator", "metrics", "Settle", "1"])
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_KEYS, inner, max_size=4),
    max_leaves=8,
)
_TOP = st.sampled_from([*rollout_schema()["properties"], "targets", "spec"])


@given(st.dictionaries(_TOP, _VALUES, max_size=8))
def test_any_mapping_is_read_or_refused_with_places(value: dict[str, object]) -> None:
    text = yaml.safe_dump({**yaml.safe_load(MINIMAL), **value})
    _check(text)


@given(st.text(alphabet="ab: -[]{}\n\t&*!<'\"#%|>,?~10", max_size=60))
def test_any_text_is_read_or_refused_with_places(text: str) -> None:
    _check(text)
    _check(MINIMAL + text)


def _check(text: str) -> None:
    result = read_spec(text, "b.yaml")
    if isinstance(result, SpecAccepted):
        assert accepted(result.text) == result
        return
    assert result.problems
    lines = [(problem.line, problem.column) for problem in result.problems]
    assert lines == sorted(lines)
    assert all(1 <= line <= text.count("\n") + 2 and column >= 1 for line, column in lines)
    assert len(problems_text(result.problems)) > 0
