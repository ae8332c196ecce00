"""The plugin waits in silence when it cannot initialise.

Finds: a plugin whose fail-on-init switch is off, in its template or in its configuration.

Why: without a driver the plugin blocks for ever: its pod is Running and Ready, the DaemonSet is
complete, and the node has no device. Nothing crashes that anybody watches.

Sure: the other value is no cure on mixed nodes, where it means crash loops (rule
eligible-node-without-device). A check of what the node offers replaces the crash.

Do: turn the switch on where every node has a device; else verify allocatable after each change, as
bridgehead verify does.
"""

from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.init_choices import init_choices
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Path, Violation, containers
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import children, text


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for plugin in linted.plugins:
        switch = family_of(plugin.template).init
        for choice in init_choices(linted, plugin):
            if choice.ends is None:
                yield Doubt(
                    why=f"whether {plugin.ref} waits when it cannot initialise: what decides that"
                    " is not among the files"
                )
            elif not choice.ends and switch is not None:
                by = choice.by
                name = f"{by.key}: {'.'.join(switch.key)}" if by else switch.env
                yield Violation(
                    manifest=by.manifest if by else plugin,
                    path=by.path if by else _place(plugin, switch.env),
                    message=f"{name} is off: without a driver the plugin waits, Ready and useless",
                )


def _place(plugin: Manifest, variable: str) -> Path:
    for at, container in containers(plugin):
        for number, entry in enumerate(children(container, "env")):
            if text(entry, "name") == variable:
                return (*at, "env", number, "value")
    return ("spec", "template", "spec", "containers")


RULE = LintRule(
    name="silent-init-failure",
    severity=Severity.WARNING,
    references=("NVIDIA#478", "NVIDIA#1011", "NVIDIA#221"),
    check=_check,
)
