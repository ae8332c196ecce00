"""A saved inventory: the API objects in it, and what was said beside them."""

from pathlib import Path

import msgspec

from bridgehead.core.inventory.record import SCHEMA, content_digest
from bridgehead.core.model.json import JsonObject, child, children, text
from bridgehead.core.model.snapshot import Unread
from bridgehead.core.model.times import epoch
from bridgehead.sources.plain_files import no_file


class InventoryFileError(ValueError):
    """A file that cannot serve as an inventory; the message names it and says why."""


class SavedInventory(msgspec.Struct, frozen=True):
    """What an inventory file holds; ``at`` is when it was read from the cluster."""

    objects: tuple[JsonObject, ...]
    at: float
    server: str
    unread: tuple[Unread, ...]


def read_inventory_file(path: Path) -> SavedInventory:
    """Read what ``inventory --save`` wrote; raises InventoryFileError.

    The digest is checked: an inventory is kept to be compared with, so an edited one is refused.
    """
    try:
        if reason := no_file(path, named=True):
            raise InventoryFileError(f"{path} cannot be read: {reason}")
        document = msgspec.json.decode(path.read_bytes(), type=dict[str, object])
    except OSError as error:
        raise InventoryFileError(f"{path} cannot be read: {error.strerror}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InventoryFileError(f"{path} is no inventory: {error}") from error
    return _saved(path, document)  # type: ignore[arg-type]


def _saved(path: Path, document: JsonObject) -> SavedInventory:
    schema = text(document, "schema")
    if schema != SCHEMA:
        found = f"its schema is '{schema}'" if schema else "it has no schema"
        raise InventoryFileError(f"{path} is no inventory: {found}, expected '{SCHEMA}'")
    if child(document, "snapshot") is None:
        raise InventoryFileError(
            f"{path} holds no snapshot: write it with 'bridgehead inventory --save FILE', "
            "'-o json' prints the view alone"
        )
    at = epoch(text(document, "at"))
    if at is None or text(document, "digest") != content_digest(document):
        raise InventoryFileError(f"{path} was changed after it was saved: its digest does not fit")
    return SavedInventory(
        objects=children(document, "snapshot", "objects"),
        at=at,
        server=text(document, "snapshot", "server"),
        unread=tuple(
            Unread(text(item, "what"), text(item, "why"), text(item, "grant"))
            for item in children(document, "unread")
        ),
    )
