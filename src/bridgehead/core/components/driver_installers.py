"""Lines of pods that install drivers: what the kernel answers, and who is in the way.

Sources: Linux kernel/module/signing.c and security/lockdown, kmod's modprobe and rmmod, NVIDIA's
installer (nvidia-installer, README "Nouveau"), https://github.com/NVIDIA/k8s-driver-manager
(driver-manager script), https://github.com/NVIDIA/gpu-driver-container.
"""

from collections.abc import Mapping

from bridgehead.core.components.signature import LogPattern

LOADED = r"(driver|kernel) modules? (loaded|are loaded|successfully)|done, now waiting for signal"
"""Success, of the driver container; it takes earlier attempts back."""

FAULTS = (
    LogPattern(
        r"Loading of unsigned module is rejected|key was rejected by service"
        r"|Required key not available|unsigned module loading is restricted",
        "the kernel takes signed modules only (Secure Boot), and this one is not",
        LOADED,
        key="module-unsigned",
    ),
    LogPattern(
        r"\bnouveau\b.*\b(in use|loaded|conflict|unload|fail|could not|unable)"
        r"|\b(could not|unable to|failed to)\b.*\bnouveau\b",
        "the kernel's own driver nouveau holds the device",
        LOADED,
        key="other-driver-loaded",
    ),
    LogPattern(
        r"(insmod|modprobe|init_module).*(permission denied|operation not permitted)"
        r"|could not insert \S+ (permission denied|operation not permitted)"
        r"|avc: +denied.*module_load",
        "loading a module is not permitted: SELinux, or a lockdown of the kernel",
        LOADED,
        key="module-not-permitted",
    ),
    LogPattern(
        r"disagrees about version of symbol|version magic|unknown symbol in module"
        r"|could not insert \S+ (exec format error|invalid argument)",
        "the module is built for another kernel",
        LOADED,
        key="module-of-another-kernel",
    ),
    LogPattern(
        r"(could not|failed to|unable to) unload\b(?!.*nouveau).*\b(driver|module)"
        r"|^(?!.*nouveau).*driver is (currently )?in use|rmmod: ERROR: Module nvidia\w* is in use",
        "the loaded driver is in use and cannot be replaced",
        LOADED,
        key="driver-busy",
    ),
)
"""Most telling first; where a line matches two, both are found."""

SIGNS: Mapping[str, str] = {item.key: item.cause for item in FAULTS}
"""Key -> what a line with it says."""
