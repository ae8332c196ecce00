"""Sharing by MPS is configured, and a part of MPS is not there.

Finds: a configuration of NVIDIA's plugin with sharing.mps, where the plugin is given no MPS root,
or no MPS control daemon runs on the plugin's nodes: there is no DaemonSet of it, or none of the
nodes has the label that it selects.

Why: the plugin waits for the daemon, tries again every 30 seconds, and the resource does not
appear; without a root it does not start at all.

Sure: kubectl get daemonset -A | grep mps-control-daemon: DESIRED is 0, or there is none; the
plugin's log: "error waiting for MPS daemon", "using MPS requires --mps-root".

Do: deploy the control daemon that comes with the plugin, label the nodes
nvidia.com/mps.capable=true and mount the same MPS root into both.
"""

from collections.abc import Iterable, Iterator

from bridgehead.core.components.family import plugin_containers
from bridgehead.core.components.init import arguments, environment, flag_value
from bridgehead.core.findings.configurations import Configuration, configurations
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.inventory.placement import misfit
from bridgehead.core.model.json import JsonObject, child, children

_PROGRAM = "mps-control-daemon"


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for found in configurations(linted):
        if found.form.family != "nvidia" or not child(found.value, "sharing", "mps"):
            continue
        if not _has_root(found):
            yield _violation(found, "the plugin has neither --mps-root nor MPS_ROOT")
        yield from _daemons(linted, found)


def _daemons(linted: Linted, found: Configuration) -> Iterator[Violation | Doubt]:
    templates = [it.template for it in linted.of_kind("DaemonSet") if _runs_daemon(it.template)]
    cluster = linted.cluster
    if cluster is not None and cluster.has(Need.DAEMON_SETS):
        live = (it.template for it in cluster.snapshot.components)
        templates.extend(template for template in live if _runs_daemon(template))
    elif not templates and not linted.complete:
        yield Doubt(why="whether an MPS control daemon runs on the plugin's nodes")
        return
    if not templates:
        yield _violation(found, "there is no DaemonSet of the MPS control daemon")
        return
    nodes = eligible_nodes(linted, found.plugin)
    reached = any(not misfit(template, node) for template in templates for node in nodes)
    if nodes and not reached:
        yield _violation(found, "the MPS control daemon may run on none of the plugin's nodes")


def _violation(found: Configuration, why: str) -> Violation:
    return Violation(
        manifest=found.manifest,
        path=found.path,
        message=f"{found.key} shares by MPS, and {why}",
    )


def _has_root(found: Configuration) -> bool:
    if child(found.value, "flags", "mpsRoot"):
        return True
    return any(
        flag_value(container, "mps-root") or environment(container, "MPS_ROOT")
        for container in plugin_containers(found.plugin.template)
    )


def _runs_daemon(template: JsonObject) -> bool:
    words = (arguments(item) for item in children(template, "spec", "containers"))
    return any(word and word[0].rpartition("/")[2] == _PROGRAM for word in words)


RULE = LintRule(
    name="mps-without-control-daemon",
    severity=Severity.WARNING,
    references=("NVIDIA#1132", "NVIDIA#712", "NVIDIA#762", "NVIDIA#679", "NVIDIA PR#1946"),
    helped_by=frozenset({Need.DAEMON_SETS, Need.NODES}),
    check=_check,
)
