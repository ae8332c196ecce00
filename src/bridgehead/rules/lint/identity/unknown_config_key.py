"""A key of a plugin's configuration has no effect.

Finds: a key that this version of the plugin does not know, knows only in another section, knows
only from a later version on, or reads and sets aside (of NVIDIA's plugin: the section resources,
and rename and devices of a shared resource).

Why: the plugin passes over it without a word and runs with other settings than written: devices are
not shared, or under another name than the workloads ask for.

Sure: the plugin prints the configuration that it understood as it starts; the key is not in it.
Versions whose form is not known are not judged.

Do: move the key to its section, or use a version that knows it; change the workloads together with
a name.
"""

from collections.abc import Iterable

from bridgehead.core.components.configuration import Stray, strays
from bridgehead.core.findings.configurations import Configuration, configurations
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.rule import LintRule


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for found in configurations(linted):
        if found.problem:
            continue
        version = found.version if found.form.covers(found.version) else None
        for stray in strays(found.form, found.value, version or found.form.last):
            if version is None:
                yield Doubt(
                    why=f"whether {stray.path} in {found.manifest.ref} is read: the form of the"
                    f" {found.reader}'s configuration is not known for its version"
                )
            else:
                yield Violation(
                    manifest=found.manifest,
                    path=found.path,
                    message=f"{found.key}: {stray.path} has no effect: {_why(found, stray)}",
                )


def _why(found: Configuration, stray: Stray) -> str:
    if stray.idle:
        return f"the {found.reader} reads it and sets it aside"
    if stray.since:
        number = ".".join(map(str, stray.since[:2]))
        return f"the {found.reader} does not know it, {number} is the first that may"
    if stray.homes:
        places = " or ".join(home or "the top level" for home in stray.homes)
        return f"the {found.reader} reads {stray.name} in {places}"
    return f"the {found.reader} has no such key"


RULE = LintRule(
    name="unknown-config-key",
    severity=Severity.ERROR,
    references=("https://github.com/NVIDIA/k8s-device-plugin", "NVIDIA#240"),
    check=_check,
)
