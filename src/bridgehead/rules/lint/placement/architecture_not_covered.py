"""The image has nothing for the architecture of some of its nodes.

Finds: eligible nodes whose architecture is not in the image's index, where the registry was asked.

Why: the image cannot be pulled there, or its program cannot be run (exec format error). The old pod
is gone by then.

Sure: the index in the registry lists the platforms; an image without an index has one.

Do: use an image for all architectures, or select kubernetes.io/arch.
"""

from collections.abc import Iterable

from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.image_index import index_of
from bridgehead.core.findings.manifest import Doubt, Linted, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import text


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    for plugin in linted.plugins:
        nodes = eligible_nodes(linted, plugin)
        for at, container in containers(plugin):
            index = index_of(linted.cluster, text(container, "image"))
            if index is None or not index.architectures:
                yield Doubt(why=f"no registry told the architectures of {text(container, 'image')}")
                continue
            covered = index.architectures
            missing = sorted({node.arch for node in nodes if node.arch}.difference(covered))
            if missing:
                there = [node.name for node in nodes if node.arch in missing]
                yield Violation(
                    manifest=plugin,
                    path=(*at, "image"),
                    message=f"{index.image} has nothing for {', '.join(missing)}, and {len(there)} "
                    f"of its nodes are of it, such as {there[0]}",
                    node=there[0],
                    evidence=(index.evidence,),
                )


RULE = LintRule(
    name="architecture-not-covered",
    severity=Severity.ERROR,
    references=("NVIDIA#155", "ROCm#151"),
    needs=frozenset({Need.NODES, Need.REGISTRY}),
    check=_check,
)
