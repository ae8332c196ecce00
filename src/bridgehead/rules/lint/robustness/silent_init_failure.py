"""The plugin waits in silence when it cannot initialise.

Finds: a plugin whose fail-on-init switch is off.

Why: without a driver the plugin blocks for ever: its pod is Running and Ready, the DaemonSet is
complete, and the node has no device. Nothing crashes that anybody watches.

Sure: the other value is no cure on mixed nodes, where it means crash loops (rule
eligible-node-without-device). A check of what the node offers replaces the crash.

Do: turn the switch on where every node has a device; else verify allocatable after each change, as
bridgehead verify does.
"""

from collections.abc import Iterable

from bridgehead.core.components.family import family_of
from bridgehead.core.components.init import ends_on_failed_init
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation, containers
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import children, text


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        switch = family_of(plugin.template).init
        if switch is None or ends_on_failed_init(plugin.template) is not False:
            continue
        places = [
            (*at, "env", number, "value")
            for at, container in containers(plugin)
            for number, entry in enumerate(children(container, "env"))
            if text(entry, "name") == switch.env
        ]
        yield Violation(
            manifest=plugin,
            path=places[0] if places else ("spec", "template", "spec", "containers"),
            message=f"{switch.env} is off: without a driver the plugin waits, Ready and useless",
        )


RULE = LintRule(
    name="silent-init-failure",
    severity=Severity.WARNING,
    references=("NVIDIA#478", "NVIDIA#1011", "NVIDIA#221"),
    check=_check,
)
