"""The way back from a run that is over: a new run whose target is the former version. Pure."""

import msgspec

from bridgehead.core.model.component import images
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import (
    Change,
    Consent,
    ContainerImage,
    ImagesChange,
    ManifestChange,
    PlacementSettings,
    RolloutSpec,
)


def undoing(run: str, plan: Plan) -> RolloutSpec:
    """The spec that brings the plan's former version back, as carefully as it was replaced.

    Whoever asks for it consents to the move that it takes. What was to keep a change from beginning
    too soon, approvals and windows, does not keep a person from taking it back.
    """
    spec = plan.spec
    return msgspec.structs.replace(
        spec,
        name=_name(spec.name),
        change=_former(run, plan),
        placement=PlacementSettings(gain=Consent.ALLOW, lose=Consent.ALLOW),
        approve=(),
        two_people=False,
        windows=(),
    )


def _former(run: str, plan: Plan) -> Change:
    """What the component had before the run, in the way in which the run changed it."""
    change, template = plan.spec.change, plan.former_template
    if isinstance(change, ManifestChange):
        path = f"the template from before run {run}"
        return ManifestChange(path=path, template=template, selector=change.selector)
    before = images(template)
    wanted = (ContainerImage(name, before[name]) for name in change.by_container())
    return ImagesChange(tuple(wanted))


def _name(spec: str) -> str:
    """Short enough for the name of a run, and the same for a rollback of a rollback."""
    return f"{spec.removesuffix('-back')[:35]}-back"
