"""The component's manifest, found among the objects of a file or folder.

In this version it must be alone there: the objects beside it, companions, are applied by whoever
applies them now.
"""

from pathlib import Path

import msgspec

from bridgehead.core.model.json import child, texts
from bridgehead.core.model.problem import Problem, Unfit
from bridgehead.core.plan.settings import ComponentRef, ManifestChange
from bridgehead.sources.folder import read_objects
from bridgehead.sources.raw import RawObject

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
"""Names by which kustomize knows its file.
Source: https://kubectl.docs.kubernetes.io/references/kustomize/glossary/#kustomization
"""


def read_manifests(folder: Path, path: str, component: ComponentRef) -> ManifestChange | Unfit:
    """What the manifests at ``path`` below ``folder`` say of the component, or why not.

    Unlike in a recorded state nothing is passed over: what could not be read might be the part that
    matters.
    """
    place = folder / path
    if not place.exists():
        return Unfit(f"{place} does not exist", "a path is relative to the spec file")
    if (found := _kustomization(place)) is not None:
        return Unfit(
            f"not yet: {found} is a kustomization",
            f"render it first: kubectl kustomize {found.parent} > plugin.yaml",
        )
    read = read_objects(place)
    if read.problems:
        plain = (msgspec.structs.replace(item, warning=False) for item in read.problems)
        return Unfit(problems=tuple(plain))
    ours = [item for item in read.objects if _is(item, component)]
    others = [item for item in read.objects if not _is(item, component)]
    if not ours:
        return Unfit(problems=tuple(_instead(item, component) for item in others))
    companions = tuple(_companion(item, component) for item in others)
    if companions or len(ours) > 1:
        twice = tuple(_at(item, f"{item} stands here a second time") for item in ours[1:])
        return Unfit(problems=(*twice, *companions))
    return _change(ours[0], path)


def _kustomization(place: Path) -> Path | None:
    if place.is_dir():
        return next((place / name for name in KUSTOMIZATIONS if (place / name).exists()), None)
    return place if place.name in KUSTOMIZATIONS else None


def _is(item: RawObject, component: ComponentRef) -> bool:
    """A manifest without a namespace goes where it is applied to: here, to the component's."""
    where = item.namespace or component.namespace
    kind = (item.api_version, item.kind)
    named = (where, item.name) == (component.namespace, component.name)
    return named and kind == ("apps/v1", "DaemonSet")


def _instead(item: RawObject, component: ComponentRef) -> Problem:
    return _at(item, f"{component} is not here; this is {item}")


def _companion(item: RawObject, component: ComponentRef) -> Problem:
    return _at(
        item,
        f"{item} stands beside {component}: companions come later (not yet)",
        "apply them before, and leave only the DaemonSet here",
    )


def _at(item: RawObject, message: str, suggestion: str | None = None) -> Problem:
    return Problem(file=item.file, line=item.line, column=1, message=message, suggestion=suggestion)


def _change(item: RawObject, path: str) -> ManifestChange | Unfit:
    template, selector = child(item.data, "spec", "template"), child(item.data, "spec", "selector")
    if not isinstance(template, dict) or not isinstance(selector, dict):
        missing = "template" if not isinstance(template, dict) else "selector"
        return Unfit(problems=(_at(item, f"{item} has no spec.{missing}"),))
    spec = child(item.data, "spec")
    fields = spec.items() if isinstance(spec, dict) else ()
    return ManifestChange(
        path=path,
        template=template,
        selector=selector,
        labels=texts(item.data, "metadata", "labels"),
        annotations=texts(item.data, "metadata", "annotations"),
        rest={key: value for key, value in fields if key not in ("template", "selector")},
    )
