"""A plugin's image is named by a tag that moves.

Finds: a container of a device plugin whose image has no tag, the tag latest (or latest-amd64), or
the name of a branch or channel (main, master, stable, nightly, edge, dev, devel), and no digest.

Why: each node keeps what the tag meant when it pulled, so nodes of one DaemonSet come to run
different plugins, and a restarted pod may bring a new version on its own.

Sure: kubectl get pods -o jsonpath='{..imageID}' shows more than one digest for the one tag.

Do: name a release and pin it by its digest: image:TAG@sha256:...
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation, containers
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.image import ImageError, parse_image
from bridgehead.core.model.json import text

_CHANNELS = frozenset({"main", "master", "stable", "nightly", "edge", "dev", "devel", "head"})


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        for path, container in containers(plugin):
            image = text(container, "image")
            if why := _moves(image):
                yield Violation(
                    manifest=plugin,
                    path=(*path, "image"),
                    message=f"{image} {why}, so nodes can run different versions of it",
                )


def _moves(image: str) -> str:
    try:
        reference = parse_image(image)
    except ImageError:
        return ""
    if reference.digest:
        return ""
    if reference.tag is None:
        return "has no tag, which means latest"
    if reference.moves or reference.tag in _CHANNELS or reference.tag.startswith("latest-"):
        return f"has the tag {reference.tag}, which moves"
    return ""


RULE = LintRule(
    name="mutable-image-tag",
    severity=Severity.WARNING,
    references=("NVIDIA#216", "NVIDIA#230"),
    check=_check,
)
