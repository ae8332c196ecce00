"""A plugin's pod cannot start without the registry.

Finds: a container of a device plugin with imagePullPolicy: Always.

Why: every start asks the registry, also on a node that has the image. The devices are gone for as
long as that takes, and a restart while the registry is away brings no plugin back.

Sure: the image stands in status.images of the node, and the pod still waits in ErrImagePull.

Do: set imagePullPolicy: IfNotPresent and pin the image by its digest, so that what is on the node
is what is meant.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Fix, Linted, Path, Violation, containers
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.image import ImageError, parse_image
from bridgehead.core.model.json import text


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        for path, container in containers(plugin):
            if text(container, "imagePullPolicy") == "Always":
                at = (*path, "imagePullPolicy")
                yield Violation(
                    manifest=plugin,
                    path=at,
                    message=f"container {text(container, 'name')} pulls at every start: without the"
                    " registry the node's devices stay away",
                    fix=_fix(at, text(container, "image")),
                )


def _fix(path: Path, image: str) -> Fix | None:
    """Only where the image is pinned: otherwise a pull is what brings a moved tag to the node."""
    try:
        pinned = parse_image(image).digest is not None
    except ImageError:
        return None
    if not pinned:
        return None
    return Fix(path=path, value="IfNotPresent", why_safe="a digest names the same image for ever")


RULE = LintRule(
    name="always-pull",
    severity=Severity.WARNING,
    references=("NVIDIA#216", "https://kubernetes.io/docs/concepts/containers/images/"),
    check=_check,
)
