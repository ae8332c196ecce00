"""What is stored is shared by everybody, so nobody may ever change it in place."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from bridgehead.twin.store import Store
from tests.scenarios.on_the_twin import played_on_the_twin
from tests.scenarios.reading import FOLDER

BUSY = ["plugin/bad-on-one-cohort.yaml", "plugin/workloads-evict.yaml"]


class Kept:
    """Every object that was ever stored, and what it said at that moment."""

    def __init__(self) -> None:
        self.objects: list[tuple[Object, bytes]] = []

    def changed(self) -> Iterator[str]:
        """Those that say something else now."""
        for obj, said in self.objects:
            if (now := msgspec.json.encode(obj)) != said:
                yield f"{said.decode()}\n  is now\n{now.decode()}"


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> Kept:
    kept, put = Kept(), Store.put

    def put_and_keep(store: Store, kind: Kind, obj: Object) -> Object:
        stored = put(store, kind, obj)
        kept.objects.append((stored, msgspec.json.encode(stored)))
        return stored

    monkeypatch.setattr(Store, "put", put_and_keep)
    return kept


@pytest.mark.parametrize("file", BUSY)
def test_no_part_of_the_twin_changes_a_stored_object(file: str, kept: Kept, tmp_path: Path) -> None:
    assert not played_on_the_twin(FOLDER / file, tmp_path).complaint
    assert len(kept.objects) > 100
    assert not list(kept.changed())[:3]


def test_a_change_in_place_is_noticed(kept: Kept) -> None:
    store = Store()
    kind = Kind(group="", version="v1", kind="Pod", plural="pods")
    store.put(kind, {"metadata": {"name": "a"}, "spec": {}})["spec"]["nodeName"] = "n"
    assert list(kept.changed())
