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
from bridgehead.core.rollout.state import Ending


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
        undoes=run,
    )


def objection(run: str, plan: Plan, ending: Ending, *, named: bool) -> str:
    """Why a run that is over is not undone; empty where it may be.

    Only a run that ended well has left something to undo. A way back is undone only where it is
    named itself: a component's name, typed twice, must not bring in again what was just taken away.
    """
    if ending.exit != 0:
        back = "is over" if ending.exit == _GIVEN_UP else "is over and nothing of it stands"
        return f"run {run} {back}: {ending.summary}; there is nothing to take back"
    if plan.spec.undoes and not named:
        return f"run {run} has already taken run {plan.spec.undoes} back"
    return ""


_GIVEN_UP = 4
"""How a run ends of which a person has to look at what stands, a released one among them."""


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
