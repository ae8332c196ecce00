"""Intel's FPGA plugin as far as it is seen: its modes, its webhook, and the objects that translate.

Objects are looked for among the manifests and in the cluster; one that stands in both is taken as
the manifest has it.
"""

from collections.abc import Iterator, Mapping

import msgspec

from bridgehead.core.components.intel_fpga import (
    FUNCTION,
    NODE_MODE,
    REGION,
    FpgaMapping,
    mapping_of,
    mode_of,
    operated_mode,
)
from bridgehead.core.findings.finding import ref_of
from bridgehead.core.findings.manifest import Linted, Manifest
from bridgehead.core.findings.needs import Need
from bridgehead.core.model.json import JsonObject, child, children, text

_HOOKS = "MutatingWebhookConfiguration"


class Mappings(msgspec.Struct, frozen=True, kw_only=True):
    """What names are translated into. ``whole``: there are no others."""

    every: tuple[FpgaMapping, ...]
    whole: bool

    def named(self, name: str, namespace: str) -> FpgaMapping | None:
        """The one for pods of a namespace; a manifest may leave its namespace to who applies it."""
        found = [item for item in self.every if item.name == name]
        exact = [item for item in found if item.namespace == namespace]
        loose = [item for item in found if "" in (item.namespace, namespace)]
        return next(iter((*exact, *loose)), None)


def mappings(linted: Linted) -> Mappings:
    """All that are seen, those of the manifests first."""
    found = [it for item in linted.of_kind(FUNCTION, REGION) if (it := mapping_of(item.data))]
    cluster = linted.cluster
    if cluster is None:
        return Mappings(every=tuple(found), whole=False)
    known = {(item.kind, item.ref.namespace, item.ref.name) for item in linted.manifests}
    for kind in (FUNCTION, REGION):
        for item in cluster.of_kind(kind):
            ref = ref_of(item)
            mapping = mapping_of(item)
            if mapping is not None and (kind, ref.namespace, ref.name) not in known:
                found.append(mapping)
    whole = cluster.has(Need.FPGA_FUNCTIONS) and cluster.has(Need.FPGA_REGIONS)
    return Mappings(every=tuple(found), whole=whole)


def translated(linted: Linted) -> bool | None:
    """Whether the webhook sees all pods; None where that is not known.

    Mapping objects among the manifests are there for nothing else.
    """
    cluster = linted.cluster
    objects = [item.data for item in linted.of_kind(_HOOKS)]
    objects += cluster.of_kind(_HOOKS) if cluster is not None else ()
    hooks = [hook for item in objects for hook in children(item, "webhooks") if _is_ours(hook)]
    if hooks:
        chosen = [child(hook, key) for hook in hooks for key in _SELECTORS]
        return None if any(chosen) else True
    if linted.of_kind(FUNCTION, REGION):
        return True
    return False if cluster is not None and cluster.has(Need.WEBHOOKS) else None


def modes(linted: Linted) -> Mapping[str, str]:
    """In which modes plugins run, each with one place that says so; empty where none is seen."""
    found: dict[str, str] = {}
    for item, mode in plugins(linted):
        found.setdefault(mode, str(item.ref))
    if linted.cluster is not None:
        written = {(item.ref.namespace, item.ref.name) for item, _ in plugins(linted)}
        for live in linted.cluster.snapshot.components:
            named = [(space, live.name) for space in (live.namespace, "")]
            standing = mode_of(live.template)
            if standing is not None and not any(name in written for name in named):
                found.setdefault(standing, live.ref)
    for mode, node in annotated(linted).items():
        found.setdefault(mode, f"node {node}")
    return found


def annotated(linted: Linted) -> Mapping[str, str]:
    """Modes that nodes ask for themselves, each with a node."""
    nodes = linted.cluster.snapshot.nodes if linted.cluster is not None else ()
    return {
        node.annotations[NODE_MODE]: node.name for node in nodes if NODE_MODE in node.annotations
    }


def plugins(linted: Linted) -> Iterator[tuple[Manifest, str]]:
    """FPGA plugins among the manifests with the mode of each."""
    for item in linted.manifests:
        mode = mode_of(item.template) if item.kind == "DaemonSet" else operated_mode(item.data)
        if mode is not None:
            yield item, mode


def _is_ours(hook: JsonObject) -> bool:
    """``fpga.mutator.webhooks.intel.com``."""
    return "fpga" in text(hook, "name").replace("-", ".").split(".")


_SELECTORS = ("namespaceSelector", "objectSelector")
