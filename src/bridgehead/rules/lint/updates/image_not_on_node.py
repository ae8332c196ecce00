"""The new image of a plugin has to be pulled while the devices are away.

Finds: a device plugin that stands in the cluster and gets another image, which is not among the
images that nodes say they have.

Why: the old pod is gone before the new image is pulled, and the node offers no devices until the
new one has registered: as long as the pull takes, or for good if it fails. After five minutes the
node's capacity falls to 0 as well.

Sure: kubectl get node NODE -o jsonpath='{.status.images[*].names}'. A kubelet lists its 50 largest
images only: of a node with 50 this rule says nothing.

Do: pull the image beforehand, for example by a DaemonSet that runs it with a harmless command.
"""

from collections.abc import Iterable, Iterator

from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import (
    Doubt,
    Linted,
    Manifest,
    Path,
    Violation,
    containers,
)
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing
from bridgehead.core.inventory.node_images import images_of
from bridgehead.core.model.image import ImageError, full_name
from bridgehead.core.model.json import text


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    assert linted.cluster is not None
    new = list(_new_images(linted))
    on_nodes = images_of(linted.cluster.of_kind("Node")) if new else {}
    for plugin, path, image, name in new:
        lists = {node.name: on_nodes.get(node.name) for node in eligible_nodes(linted, plugin)}
        without = [node for node, held in lists.items() if held is not None and name not in held]
        if without:
            yield Violation(
                manifest=plugin,
                path=path,
                message=f"{image} is not on {few(without)}: each pulls it while its devices"
                " are away",
            )
        unsure = [node for node, held in lists.items() if held is None]
        if unsure:
            yield Doubt(
                why=f"whether {image} is on {few(unsure)}: the list of images is cut off there,"
                " or missing"
            )


def _new_images(linted: Linted) -> Iterator[tuple[Manifest, Path, str, str]]:
    """Images that a standing plugin is to get: as written, and by their full name."""
    for plugin in linted.plugins:
        live = standing(linted, plugin)
        if live is None:
            continue
        for path, container in containers(plugin):
            image = text(container, "image")
            if image in live.images.values():
                continue
            try:
                yield plugin, (*path, "image"), image, full_name(image)
            except ImageError:
                continue


RULE = LintRule(
    name="image-not-on-node",
    severity=Severity.WARNING,
    references=(
        "NVIDIA#216",
        "https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/",
    ),
    needs=frozenset({Need.DAEMON_SETS, Need.NODES}),
    check=_check,
)
