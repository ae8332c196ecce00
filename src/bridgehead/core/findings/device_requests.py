"""Where a manifest's containers ask for devices."""

from collections.abc import Iterator, Mapping

import msgspec

from bridgehead.core.findings.manifest import Manifest, Path, containers
from bridgehead.core.model.device import is_extended
from bridgehead.core.model.json import child, text
from bridgehead.core.model.quantity import amount


class DeviceRequest(msgspec.Struct, frozen=True, kw_only=True):
    """One extended resource of one container, as written; None where it is not."""

    container: str
    at: Path
    """The container's ``resources``."""
    resource: str
    request: object
    limit: object

    @property
    def path(self) -> Path:
        """The entry that is written, the limit first."""
        field = "limits" if self.limit is not None else "requests"
        return (*self.at, field, self.resource)

    @property
    def asks(self) -> bool:
        """Whether it is for any device at all: 0 is for none."""
        written = self.request if self.limit is None else self.limit
        return amount(str(written)) != 0


def device_requests(manifest: Manifest) -> Iterator[DeviceRequest]:
    """All of them, in the order of containers and names."""
    for at, container in containers(manifest):
        resources = child(container, "resources")
        asked = {field: _devices(child(resources, field)) for field in ("requests", "limits")}
        for name in sorted({*asked["requests"], *asked["limits"]}):
            yield DeviceRequest(
                container=text(container, "name"),
                at=(*at, "resources"),
                resource=name,
                request=asked["requests"].get(name),
                limit=asked["limits"].get(name),
            )


def _devices(quantities: object) -> dict[str, object]:
    if not isinstance(quantities, Mapping):
        return {}
    return {name: item for name, item in quantities.items() if is_extended(str(name))}
