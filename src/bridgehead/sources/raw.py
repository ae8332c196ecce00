"""An API object as it stands in a file."""

import msgspec

from bridgehead.core.model.json import JsonObject, text


class RawObject(msgspec.Struct, frozen=True):
    """An object with a kind and an apiVersion, as recorded, and where it begins (from line 1)."""

    data: JsonObject
    file: str
    line: int

    @property
    def kind(self) -> str:
        """The kind, such as ``Pod``."""
        return text(self.data, "kind")

    @property
    def api_version(self) -> str:
        """Group and version, such as ``apps/v1``."""
        return text(self.data, "apiVersion")

    @property
    def namespace(self) -> str:
        """The namespace, or an empty text."""
        return text(self.data, "metadata", "namespace")

    @property
    def name(self) -> str:
        """The name, or an empty text."""
        return text(self.data, "metadata", "name")

    def __str__(self) -> str:
        return "/".join(filter(None, (self.kind, self.namespace, self.name)))
