"""Options of known plugins that take one of a few values.

NVIDIA: https://github.com/NVIDIA/k8s-device-plugin (validateFlags of
cmd/nvidia-device-plugin/main.go; api/config/v1/consts.go; 0.12.3 to 0.18.0): with any other value
the plugin ends as it starts. A variable is read as its flag is; a switch as Go's strconv.ParseBool
has it.
"""

from collections.abc import Mapping

import msgspec

from bridgehead.core.model.json import JsonValue

BOOLEANS = frozenset(
    {"1", "t", "T", "TRUE", "true", "True", "0", "f", "F", "FALSE", "false", "False"}
)
"""What strconv.ParseBool takes. Source: https://pkg.go.dev/strconv#ParseBool"""


class ClosedOption(msgspec.Struct, frozen=True, kw_only=True):
    """An option as flag, variable and key of the configuration file, with the values it takes.

    ``values`` in the order of the vendor's help; empty: it is a switch. ``listed``: several may be
    given, between commas or as a list of the file.
    """

    flag: str
    env: str
    key: tuple[str, ...]
    values: tuple[str, ...] = ()
    listed: bool = False

    def refused(self, written: str) -> str:
        """The value that is none of its own; empty where all are, or where nothing is written."""
        known = self.values or BOOLEANS
        parts = written.split(",") if self.listed else [written]
        return next((part for part in parts if part and part.strip() not in known), "")

    def refused_in_file(self, value: JsonValue) -> str:
        """As ``refused`` for a value of a file, where a switch must be true or false itself."""
        if value is None or isinstance(value, bool):
            return str(value).lower() if self.values and value is not None else ""
        if not self.values:
            return str(value)
        items = value if self.listed and isinstance(value, list) else [value]
        return next((bad for item in items if (bad := self.refused(str(item)))), "")

    @property
    def choice(self) -> str:
        """The values in words."""
        return " or ".join(self.values or ("true", "false"))


_PLUGIN = ("flags", "plugin")
_CLOSED = (
    ClosedOption(
        flag="mig-strategy",
        env="MIG_STRATEGY",
        key=("flags", "migStrategy"),
        values=("none", "single", "mixed"),
    ),
    ClosedOption(
        flag="device-list-strategy",
        env="DEVICE_LIST_STRATEGY",
        key=(*_PLUGIN, "deviceListStrategy"),
        values=("envvar", "volume-mounts", "cdi-annotations", "cdi-cri"),
        listed=True,
    ),
    ClosedOption(
        flag="device-id-strategy",
        env="DEVICE_ID_STRATEGY",
        key=(*_PLUGIN, "deviceIDStrategy"),
        values=("uuid", "index"),
    ),
    ClosedOption(
        flag="device-discovery-strategy",
        env="DEVICE_DISCOVERY_STRATEGY",
        key=("flags", "deviceDiscoveryStrategy"),
        values=("auto", "nvml", "tegra"),
    ),
    *(
        ClosedOption(flag=flag, env=flag.upper().replace("-", "_"), key=key)
        for flag, key in (
            ("fail-on-init-error", ("flags", "failOnInitError")),
            ("pass-device-specs", (*_PLUGIN, "passDeviceSpecs")),
            ("gds-enabled", ("flags", "gdsEnabled")),
            ("mofed-enabled", ("flags", "mofedEnabled")),
            ("gdrcopy-enabled", ("flags", "gdrcopyEnabled")),
            ("imex-required", ("imex", "required")),
        )
    ),
)

CLOSED: Mapping[str, tuple[ClosedOption, ...]] = {"nvidia": _CLOSED}
"""By the name of the family."""
