"""Lines of driver installers, as kernel, kmod and installers write them."""

import pytest

from bridgehead.core.components.driver_installers import FAULTS, SIGNS
from bridgehead.core.diagnose.telling_lines import quotes_in
from bridgehead.core.findings.observed import Log


def keys(*lines: str) -> list[str]:
    return sorted(quotes_in([("log", Log(lines))], FAULTS))


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("Loading of unsigned module is rejected", "module-unsigned"),
        (
            "modprobe: ERROR: could not insert 'nvidia': Key was rejected by service",
            "module-unsigned",
        ),
        (
            "Lockdown: modprobe: unsigned module loading is restricted; see man kernel_lockdown.7",
            "module-unsigned",
        ),
        (
            "ERROR: The Nouveau kernel driver is currently in use by your system.",
            "other-driver-loaded",
        ),
        ("Unable to unload nouveau driver", "other-driver-loaded"),
        (
            "insmod: ERROR: could not insert module nvidia.ko: Permission denied",
            "module-not-permitted",
        ),
        (
            "modprobe: ERROR: could not insert 'nvidia': Exec format error",
            "module-of-another-kernel",
        ),
        (
            "nvidia: disagrees about version of symbol module_layout",
            "module-of-another-kernel",
        ),
        (
            "Could not unload NVIDIA driver kernel modules, driver is in use",
            "driver-busy",
        ),
        ("rmmod: ERROR: Module nvidia_uvm is in use", "driver-busy"),
    ],
)
def test_a_line_shows_its_sign(line: str, key: str) -> None:
    assert keys(line) == [key]
    assert SIGNS[key]


@pytest.mark.parametrize(
    "line",
    ["Unloading nouveau driver...", "Loading NVIDIA driver kernel modules...", "Installing driver"],
)
def test_what_only_goes_on_shows_none(line: str) -> None:
    assert keys(line) == []


def test_a_driver_that_is_loaded_takes_earlier_attempts_back() -> None:
    assert keys("driver is in use", "Done, now waiting for signal") == []
