"""Keys that a plugin passes over, and the names that follow from the others."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.core.components.advertised import advertised, refused_name
from bridgehead.core.components.configuration import FORMATS, NVIDIA, RDMA_SHARED, SRIOV, strays

TRUE: dict[str, Any] = {"renameByDefault": True, "resources": [{"name": "gpu", "replicas": 3}]}


def _paths(value: Any, version: tuple[int, int, int] = (0, 17, 4)) -> list[str]:
    return [item.path for item in strays(NVIDIA, value, version)]


def test_a_key_in_another_section_names_the_sections_that_read_it() -> None:
    (stray,) = strays(NVIDIA, {"sharing": {"renameByDefault": True}}, (0, 17, 4))
    assert stray.homes == ("sharing.timeSlicing", "sharing.mps")
    (stray,) = strays(NVIDIA, {"flags": {"sharing": {}}}, (0, 17, 4))
    assert stray.homes == ("",)


def test_a_key_of_a_later_version_says_since_when() -> None:
    (stray,) = strays(NVIDIA, {"sharing": {"mps": TRUE}}, (0, 14, 5))
    assert (stray.path, stray.since) == ("sharing.mps", (0, 15, 0))
    assert _paths({"sharing": {"mps": TRUE}}) == []


def test_letter_case_counts_only_where_the_plugin_looks_keys_up_itself() -> None:
    assert _paths({"FLAGS": {"migstrategy": "none"}}) == []
    assert _paths({"sharing": {"timeSlicing": {"renamebydefault": True}}}) == [
        "sharing.timeSlicing.renamebydefault"
    ]


def test_entries_of_lists_are_numbered() -> None:
    value: Any = {
        "resourceList": [{"resourceName": "a"}, {"name": "b", "selectors": [{"vendor": 1}]}]
    }
    found = [item.path for item in strays(SRIOV, value, (3, 9, 0))]
    assert found == ["resourceList[1].name", "resourceList[1].selectors[0].vendor"]


def test_names_of_nvidia() -> None:
    renamed = advertised(NVIDIA, {"sharing": {"timeSlicing": TRUE}})
    assert [(it.name, it.instead_of, it.copies) for it in renamed] == [
        ("nvidia.com/gpu.shared", "nvidia.com/gpu", 3)
    ]
    plain: Any = {**TRUE, "renameByDefault": False}
    assert advertised(NVIDIA, {"sharing": {"mps": plain, "timeSlicing": TRUE}})[0].name == (
        "nvidia.com/gpu"
    )
    assert advertised(NVIDIA, {"version": "v1"}) == ()


def test_names_of_network_plugins_have_a_prefix_from_entry_command_line_or_default() -> None:
    value: Any = {
        "resourceList": [{"resourceName": "a"}, {"resourceName": "b", "resourcePrefix": "x.y"}]
    }
    assert [it.name for it in advertised(SRIOV, value)] == ["intel.com/a", "x.y/b"]
    assert [it.name for it in advertised(SRIOV, value, prefix="z.w")] == ["z.w/a", "x.y/b"]
    rdma: Any = {"configList": [{"resourceName": "hca", "rdmaHcaMax": 7}]}
    assert [(it.name, it.copies) for it in advertised(RDMA_SHARED, rdma)] == [("rdma/hca", 7)]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("example.com/gpu", ""),
        ("rdma/hca_1.A-b", ""),
        ("gpu", "no domain"),
        ("/gpu", "no domain"),
        ("kubernetes.io/gpu", "Kubernetes' own"),
        ("a.kubernetes.io/gpu", "Kubernetes' own"),
        ("requests.example.com/gpu", "requests."),
        ("Example.com/gpu", "no domain"),
        ("a/b/c", "no domain"),
        ("example.com/", "the empty name"),
        ("example.com/-x", "no name"),
        (f"example.com/{'x' * 64}", "longer than 63"),
        (f"{'a.' * 125}b/x", "longer than 244"),
    ],
)
def test_a_name_is_refused_as_the_kubelet_would(name: str, why: str) -> None:
    assert why in refused_name(name)
    assert bool(why) == bool(refused_name(name))


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["version", "flags", "sharing", "timeSlicing", "mps", "resources", "resourceList"]
            )
            | st.sampled_from(["configList", "selectors", "resourceName", "name", "replicas", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(_ANYTHING)
def test_no_shape_of_a_file_is_too_odd(value: Any) -> None:
    for form in FORMATS.values():
        list(strays(form, value, form.last))
        assert all(isinstance(item.name, str) for item in advertised(form, value))
