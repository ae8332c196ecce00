"""Which images nodes say they have."""

from bridgehead.core.inventory.node_images import images_of


def _node(name: str, *images: str) -> dict[str, object]:
    listed = [{"names": [image], "sizeBytes": 1} for image in images]
    return {"metadata": {"name": name}, "status": {"images": listed}}


def test_images_are_known_by_their_full_names() -> None:
    found = images_of([_node("n1", "docker.io/rocm/x:1", "not an image")])  # type: ignore[list-item]
    assert found == {"n1": frozenset({"docker.io/rocm/x:1"})}


def test_a_list_that_is_missing_or_full_tells_nothing_of_what_is_not_on_it() -> None:
    full = _node("n2", *(f"x.y/z:{number}" for number in range(50)))
    assert images_of([_node("n1"), full]) == {"n1": None, "n2": None}  # type: ignore[list-item]
