"""Intel's FPGA plugin: its modes, and the objects by which its webhook translates names.

Source: https://github.com/intel/intel-device-plugins-for-kubernetes (``cmd/fpga_plugin``,
``pkg/fpgacontroller/patcher``, ``pkg/fpga/devtypes.go``). A pod asks for ``fpga.intel.com/NAME``;
NAME is an AcceleratorFunction or FpgaRegion of its namespace, and the webhook puts what the plugin
offers in its place. It refuses any other name below ``fpga.intel.com/``.
"""

import base64
from collections.abc import Mapping

import msgspec

from bridgehead.core.components.family import plugin_containers
from bridgehead.core.components.init import flag_value
from bridgehead.core.model.json import JsonObject, text

DOMAIN = "fpga.intel.com/"
FUNCTION, REGION = "AcceleratorFunction", "FpgaRegion"
OPERATED = "FpgaDevicePlugin"
"""The object of which Intel's operator makes the plugin's DaemonSet."""
MODES = ("af", "region", "regiondevel")
NODE_MODE = "fpga.intel.com/device-plugin-mode"
"""The annotation of a node that overrides the plugin's mode there."""
_IMAGE = "intel-fpga-plugin"
_DEAD = "f" * 32
"""What the driver says of a device whose firmware has crashed."""


class FpgaMapping(msgspec.Struct, frozen=True, kw_only=True):
    """What one object translates: ``fpga.intel.com/NAME`` becomes ``resource``."""

    namespace: str
    name: str
    mode: str
    """The mode that the plugin must run in."""
    resource: str
    interface: str


def mapping_of(item: JsonObject) -> FpgaMapping | None:
    """An object as a mapping; None for other kinds, and for one that translates nothing."""
    kind = text(item, "kind")
    interface, function = text(item, "spec", "interfaceId"), text(item, "spec", "afuId")
    mode = "regiondevel" if kind == REGION else text(item, "spec", "mode")
    if kind not in (FUNCTION, REGION) or not interface or mode not in MODES:
        return None
    resource = f"region-{interface}" if mode != "af" else _function_name(interface, function)
    return FpgaMapping(
        namespace=text(item, "metadata", "namespace"),
        name=text(item, "metadata", "name"),
        mode=mode,
        resource=f"{DOMAIN}{resource}",
        interface=interface,
    )


def mode_of(template: JsonObject) -> str | None:
    """The mode that a template's plugin runs in; None where it has no FPGA plugin.

    Empty where it is told one that does not exist.
    """
    for container in plugin_containers(template):
        if _IMAGE in text(container, "image"):
            mode = flag_value(container, "mode")
            return _known("af" if mode is None else mode)
    return None


def operated_mode(item: JsonObject) -> str | None:
    """The mode that an object of the operator's asks for; None for other objects."""
    if text(item, "kind") != OPERATED:
        return None
    return _known(text(item, "spec", "mode") or "af")


def mode_by_name(resource: str) -> tuple[str, ...]:
    """Modes in which a plugin offers this name; none for a name that no plugin offers."""
    kind, _, identity = resource.removeprefix(DOMAIN).partition("-")
    if not resource.startswith(DOMAIN) or not identity or identity == _DEAD:
        return ()
    return _BY_PREFIX.get(kind, ())


_BY_PREFIX: Mapping[str, tuple[str, ...]] = {"af": ("af",), "region": ("region", "regiondevel")}


def _known(mode: str) -> str:
    return mode if mode in MODES else ""


def _function_name(interface: str, function: str) -> str:
    """Both ids, shortened so that the name of the plugin's socket is short enough."""
    try:
        both = bytes.fromhex(interface + function)
    except ValueError:  # no hexadecimal number: the webhook takes no such object
        return f"af-{function}"
    packed = base64.urlsafe_b64encode(both).decode().rstrip("=")
    return f"af-{interface[:3]}.{function[:3]}.{packed}"
