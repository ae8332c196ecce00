"""A plugin, or a setting of it, is made for another version of Kubernetes.

Finds: an NVIDIA plugin whose version speaks another plugin API than the kubelets of its nodes; its
strategy cdi-cri, without another beside it, on kubelets before 1.29; a plugin's DaemonSet of an API
group that servers since 1.18 do not have; and, as a warning, the field appArmorProfile on a server
before 1.30. Other versions and other plugins are not judged.

Why: a plugin of another API version is refused at registration and its resource never appears. A
kubelet that does not know cdi_devices passes the list over: pods get their device by the books and
none in their container. A server refuses what it does not know, or drops it.

Sure: kubectl get nodes shows the kubelets, kubectl version the server. The plugin's log says
"unknown service", or the kubelet's "requested API version". At 1.28 the kubelet's gate
DevicePluginCDIDevices decides.

Do: use the version, or the setting, that is made for this Kubernetes.
"""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from bridgehead.core.components.family import family_of, plugin_containers
from bridgehead.core.components.init import environment, flag_value, reads_file
from bridgehead.core.components.kubernetes_versions import (
    CDI_FIELD,
    Range,
    kubelets_for,
    only_by_cdi_field,
)
from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.init_choices import files_read
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Path, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.security_context import POD_SPEC
from bridgehead.core.findings.standing import few
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, JsonValue, child, children, text
from bridgehead.core.model.node import Node
from bridgehead.core.model.version import version_in

_FLAG, _VARIABLE = "device-list-strategy", "DEVICE_LIST_STRATEGY"
_KEY = ("flags", "plugin", "deviceListStrategy")
_OLD_GROUPS = ("extensions/v1beta1", "apps/v1beta2")
_OFF, _GONE = (1, 16, 0), (1, 18, 0)
"""Since when these are not served unless they are switched on, and since when not at all."""
_APPARMOR_FIELD = (1, 30, 0)


class _Use(msgspec.Struct, frozen=True):
    """Something that asks for certain kubelets; without ``sure`` its subject is the doubt."""

    manifest: Manifest
    path: Path
    subject: str
    kubelets: Range
    sure: bool = True


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    assert linted.cluster is not None
    for plugin in linted.plugins:
        yield from _of_server(plugin, linted.cluster.snapshot.server)
        uses = [*_images(plugin), *_strategies(linted, plugin)]
        nodes = eligible_nodes(linted, plugin) if uses else ()
        for use in uses:
            yield from _of_kubelets(use, nodes)


def _of_kubelets(use: _Use, nodes: Sequence[Node]) -> Iterator[Violation | Doubt]:
    told = [(node, use.kubelets.holds(node.kubelet)) for node in nodes]
    wrong = [node for node, holds in told if holds is False]
    open_ended = [node.name for node, holds in told if holds is None]
    if wrong and use.sure:
        versions = sorted({node.kubelet for node in wrong})
        yield Violation(
            manifest=use.manifest,
            path=use.path,
            message=f"{use.subject} is for {use.kubelets.words}: the kubelet is"
            f" {few(versions)} on {few([node.name for node in wrong])}",
            node=wrong[0].name,
            evidence=tuple(
                Evidence(f"kubelet of node {node.name}", node.kubelet) for node in wrong[:3]
            ),
        )
    if not use.sure and (wrong or open_ended):
        far = few([node.name for node in wrong] + open_ended)
        yield Doubt(why=f"{use.subject}, and the kubelets of {far} may not know what it asks for")
    elif open_ended:
        yield Doubt(
            why=f"whether {use.subject}, which is for {use.kubelets.words}, fits the kubelets of"
            f" {few(open_ended)}"
        )


def _images(plugin: Manifest) -> Iterator[_Use]:
    running = plugin_containers(plugin.template)
    for path, container in containers(plugin):
        image = text(container, "image")
        if container in running and (kubelets := kubelets_for(image)):
            yield _Use(plugin, (*path, "image"), image, kubelets)


def _strategies(linted: Linted, plugin: Manifest) -> Iterator[_Use]:
    """Where NVIDIA's plugin is told to use the field of the kubelet's API, or may be told so."""
    if family_of(plugin.template).name != "nvidia":
        return
    running = plugin_containers(plugin.template)
    for path, container in containers(plugin):
        if container not in running:
            continue
        flag, variable = flag_value(container, _FLAG), environment(container, _VARIABLE)
        if flag is not None:
            yield from _strategy(plugin, (*path, "args"), f"--{_FLAG}", flag)
        elif variable is not None:
            at = (*path, "env", children(container, "env").index(variable), "value")
            yield from _strategy(plugin, at, _VARIABLE, child(variable, "value"))
        elif reads_file(container) is not None:
            yield from _in_files(linted, plugin, path, container)


def _in_files(
    linted: Linted, plugin: Manifest, path: Path, container: JsonObject
) -> Iterator[_Use]:
    found = files_read(linted, plugin, container)
    for item in found:
        value = child(item.value, *_KEY)
        yield from _strategy(item.manifest, item.path, f"{item.key}: {'.'.join(_KEY)}", value)
    if not found:
        what = f"whether {plugin.ref} uses cdi-cri: its configuration is not among the files"
        yield _Use(plugin, path, what, CDI_FIELD, sure=False)


def _strategy(manifest: Manifest, path: Path, name: str, value: JsonValue) -> Iterator[_Use]:
    if only_by_cdi_field(value):
        yield _Use(manifest, path, f"{name} cdi-cri", CDI_FIELD)


def _of_server(plugin: Manifest, server: str) -> Iterator[Violation | Doubt]:
    group = plugin.ref.api_version
    fields = list(_apparmor_fields(plugin))
    version = version_in(server)
    seen = (Evidence("version of the server", server),)
    if group in _OLD_GROUPS and version is not None and version >= _GONE:
        yield Violation(
            manifest=plugin,
            path=("apiVersion",),
            message=f"{server} has no {group}: Kubernetes 1.18 has DaemonSets in apps/v1 alone",
            remedy="write apps/v1, with a selector",
            evidence=seen,
        )
    elif group in _OLD_GROUPS and (version is None or version >= _OFF):
        yield Doubt(why=f"whether the server has DaemonSets of {group}, as {plugin.ref} is one")
    if fields and version is None:
        yield Doubt(why=f"whether the server knows appArmorProfile, which {plugin.ref} has")
    for at in fields if version is not None and version < _APPARMOR_FIELD else ():
        yield Violation(
            manifest=plugin,
            path=at,
            message=f"{server} does not know the field appArmorProfile, which came with 1.30: it is"
            " refused, or dropped",
            remedy="write the profile into the annotation of the pod template",
            severity=Severity.WARNING,
            evidence=seen,
        )


def _apparmor_fields(plugin: Manifest) -> Iterator[Path]:
    for at in (POD_SPEC, *(path for path, _ in containers(plugin))):
        where = (*at, "securityContext", "appArmorProfile")
        if plugin.at(where) is not None:
            yield where


RULE = LintRule(
    name="kubernetes-version-not-supported",
    severity=Severity.ERROR,
    references=(
        "NVIDIA#14",
        "NVIDIA#109",
        "NVIDIA#30",
        "https://www.kubernetes.dev/resources/keps/4009/",
        "https://kubernetes.io/blog/2019/07/18/api-deprecations-in-1-16/",
        "https://kubernetes.io/docs/tutorials/security/apparmor/",
    ),
    needs=frozenset({Need.NODES}),
    check=_check,
)
