"""Xid numbers as the kernel, the plugin and people write them."""

import pytest

from bridgehead.core.components.xids import is_applications, xids_in


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("NVRM: Xid (PCI:0000:3b:00): 79, pid=912, GPU has fallen off the bus.", (79,)),
        ("NVRM: Xid (PCI:0000:3b:00): 13, Graphics SM Warp Exception on (GPC 7)", (13,)),
        ("XidCriticalError: Xid=48 on Device=GPU-8dcd427f; marking device as unhealthy.", (48,)),
        ("Xid=31 ... Xid=48, Xid=31", (31, 48)),
        ("XID error: 74", (74,)),
        ("XidCriticalError on Device=GPU-8dcd427f", ()),
        ("no error", ()),
    ],
)
def test_numbers_are_found_and_places_of_cards_are_none(
    text: str, numbers: tuple[int, ...]
) -> None:
    assert xids_in(text) == numbers


@pytest.mark.parametrize(
    ("text", "whose"),
    [("Xid=13", True), ("Xid=79", False), ("Xid=13, Xid=79", False), ("GPU is lost", None)],
)
def test_an_error_is_an_applications_where_each_number_is(text: str, whose: bool | None) -> None:
    assert is_applications(text) is whose
