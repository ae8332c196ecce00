"""Only the image goes back to an earlier one, and what belonged to it does not.

Finds: a device plugin whose manifest takes an image that an earlier revision in the cluster had,
while the rest of the template stays as it stands now and differs from that revision's.

Why: arguments, variables, mounts and configuration were written for the newer image. The older one
may refuse them, or read them otherwise, and the mixture is one that nobody has ever run.

Sure: kubectl rollout history daemonset/NAME --revision=N against the manifest.

Do: go back to the whole manifest of that revision, with its configuration and permissions, not to
its image.
"""

from collections.abc import Iterable

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Violation, component_of
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.findings.standing import few, standing, template_changes
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.component import Component
from bridgehead.core.model.component import images as images_of
from bridgehead.core.model.json import JsonObject, child, text


def _check(linted: Linted) -> Iterable[Violation]:
    assert linted.cluster is not None
    for plugin in linted.plugins:
        live = standing(linted, plugin)
        if live is None:
            continue
        asked = component_of(plugin).images
        changes = template_changes(plugin, live.template)
        if asked == live.images or not all(path.endswith(".image") for path in changes):
            continue
        found = _earlier(linted.cluster, live, asked)
        if found is None:
            continue
        name, template = found
        others = template_changes(plugin, template)
        if others:
            yield Violation(
                manifest=plugin,
                path=("spec", "template", "spec", "containers"),
                message=f"the image goes back to that of revision {name}, and what else differed"
                f" there stays: {few(others)}",
                evidence=(Evidence(f"controllerrevision {name}", ", ".join(asked.values())),),
            )


def _earlier(
    cluster: Observed, live: Component, asked: dict[str, str]
) -> tuple[str, JsonObject] | None:
    """The newest earlier revision with these images: its name and template."""
    revisions = sorted(
        (item for item in cluster.of_kind("ControllerRevision") if _owned(item, live)),
        key=_number,
        reverse=True,
    )
    for item in revisions:
        template = child(item, "data", "spec", "template")
        if isinstance(template, dict) and images_of(template) == asked:
            return text(item, "metadata", "name"), template
    return None


def _owned(item: JsonObject, live: Component) -> bool:
    name = text(item, "metadata", "name")
    same = text(item, "metadata", "namespace") == live.namespace
    return same and name.rpartition("-")[0] == live.name


def _number(item: JsonObject) -> int:
    value = child(item, "revision")
    return value if isinstance(value, int) else 0


RULE = LintRule(
    name="image-rolled-back-alone",
    severity=Severity.WARNING,
    references=("https://kubernetes.io/docs/tasks/manage-daemon/rollback-daemon-set/",),
    needs=frozenset({Need.DAEMON_SETS, Need.REVISIONS}),
    check=_check,
)
