"""The registry has no such image.

Finds: an image of a plugin of which its registry, asked from here, says that it does not exist.

Why: the former pod is gone before the new one's image is pulled. The node then offers N/0 at once
and 0/0 after five minutes, for as long as the image is missing. Tags are at times published hours
after the release they belong to.

Sure: the registry's own answer is quoted. A mirror that the nodes are configured for may still have
the image: pull it there once.

Do: name a tag or a digest that exists; push the image first, and then apply.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.image_index import ABSENT, REFUSED, index_of
from bridgehead.core.findings.manifest import Doubt, Linted, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import text


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for plugin in linted.plugins:
        for at, container in containers(plugin):
            image = text(container, "image")
            index = index_of(linted.cluster, image)
            if index is None:
                yield Doubt(why=f"no registry answered about {image}")
            elif index.word == REFUSED:
                yield Doubt(why=f"its registry refuses to say whether there is {image}")
            elif index.word == ABSENT:
                where = f"registry {index.registry}" if index.registry else "its registry"
                yield Violation(
                    manifest=plugin,
                    path=(*at, "image"),
                    message=f"{where} has no image {image}",
                    evidence=(index.evidence,),
                )


RULE = LintRule(
    name="image-not-in-registry",
    severity=Severity.ERROR,
    references=("NVIDIA#216", "NVIDIA#230", "intel#1981"),
    needs=frozenset({Need.REGISTRY}),
    check=_check,
)
