"""The image has nothing for the architecture of some of its nodes.

Finds: eligible nodes whose architecture is not in the image's index, where the registry was asked.

Why: the image cannot be pulled there, or its program cannot be run (exec format error). The old pod
is gone by then.

Sure: the index in the registry lists the platforms; an image without an index has one.

Do: use an image for all architectures, or select kubernetes.io/arch.
"""

from collections.abc import Iterable, Mapping, Sequence

from bridgehead.core.findings.eligible import eligible_nodes
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import child, text


def _check(linted: Linted) -> Iterable[Violation]:
    known = _indexes(linted)
    for plugin in linted.plugins:
        nodes = eligible_nodes(linted, plugin)
        for at, container in containers(plugin):
            image = text(container, "image")
            covered = known.get(image)
            if covered is None:
                continue
            missing = sorted({node.arch for node in nodes if node.arch} - covered)
            if missing:
                there = [node.name for node in nodes if node.arch in missing]
                yield Violation(
                    manifest=plugin,
                    path=(*at, "image"),
                    message=f"{image} has nothing for {', '.join(missing)}, and {len(there)} of "
                    f"its nodes are of it, such as {there[0]}",
                    node=there[0],
                    evidence=(Evidence(f"index of {image}", ", ".join(sorted(covered))),),
                )


def _indexes(linted: Linted) -> Mapping[str, frozenset[str]]:
    found = {}
    for item in linted.cluster.of_kind("ImageIndex") if linted.cluster else ():
        listed = child(item, "status", "architectures")
        if isinstance(listed, Sequence) and not isinstance(listed, str):
            found[text(item, "status", "image")] = frozenset(map(str, listed))
    return found


RULE = LintRule(
    name="architecture-not-covered",
    severity=Severity.ERROR,
    references=("NVIDIA#155", "ROCm#151"),
    needs=frozenset({Need.NODES, Need.REGISTRY}),
    check=_check,
)
