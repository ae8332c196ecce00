"""The keys of a valid spec become the settings that the core works with."""

from bridgehead.core.model.selectors import EVERYTHING
from bridgehead.core.plan.settings import (
    AllowSettings,
    CanarySettings,
    Change,
    ComponentKind,
    ComponentRef,
    ContainerImage,
    ImagesChange,
    LockSettings,
    NodeSelection,
    OnFailure,
    PlacementSettings,
    ProbeSettings,
    ReaderSettings,
    RolloutSpec,
    SoakSettings,
    VerifySettings,
    Wave,
    Window,
)
from bridgehead.spec.models import CanaryKeys, RolloutKeys, VerifyKeys


def component_ref(keys: RolloutKeys) -> ComponentRef:
    """The component that the keys name."""
    daemon_set = keys.component.daemon_set
    return ComponentRef(ComponentKind.DAEMON_SET, daemon_set.namespace, daemon_set.name)


def images_change(keys: RolloutKeys) -> ImagesChange:
    """The change of images; of none where the change is another one."""
    images = sorted((keys.change.images or {}).items())
    return ImagesChange(tuple(ContainerImage(name, image) for name, image in images))


def rollout_spec(keys: RolloutKeys, change: Change) -> RolloutSpec:
    """The settings behind the keys; what was left out has its default already."""
    return RolloutSpec(
        name=keys.metadata.name,
        component=component_ref(keys),
        change=change,
        resources=tuple(keys.resources) if keys.resources is not None else None,
        nodes=NodeSelection(keys.nodes.include or EVERYTHING, keys.nodes.exclude),
        cohort=tuple(keys.cohort),
        canary=_canary(keys.canary),
        waves=tuple(Wave(wave.nodes, wave.parallel) for wave in keys.waves),
        unproven=keys.unproven,
        workloads=keys.workloads,
        workloads_timeout=keys.workloads_timeout,
        verify=_verify(keys.verify),
        on_failure=OnFailure(canary=keys.on_failure.canary, wave=keys.on_failure.wave),
        placement=PlacementSettings(gain=keys.placement.gain, lose=keys.placement.lose),
        approve=tuple(keys.approve),
        two_people=keys.two_people,
        windows=tuple(
            Window(
                days=tuple(item.days),
                opens=item.opens,
                closes=item.closes,
                timezone=item.timezone,
            )
            for item in keys.windows
        ),
        lock=LockSettings(duration=keys.lock.duration),
        allow=AllowSettings(reader=keys.allow.reader, recover=keys.allow.recover),
        reader=ReaderSettings(image=keys.reader.image or ""),
        owner=keys.owner,
    )


def _canary(keys: CanaryKeys) -> CanarySettings:
    return CanarySettings(
        per_cohort=keys.per_cohort,
        nodes=tuple(keys.nodes),
        avoid=keys.avoid,
        restart_test=keys.restart_test,
    )


def _verify(keys: VerifyKeys) -> VerifySettings:
    probe = keys.probe
    return VerifySettings(
        settle=keys.settle,
        status_period=keys.status_period,
        status_period_unchecked=keys.status_period_unchecked,
        timeout=keys.timeout,
        soak=SoakSettings(canary=keys.soak.canary, wave=keys.soak.wave),
        probe=None
        if probe is None
        else ProbeSettings(image=probe.image, command=tuple(probe.command), expect=probe.expect),
    )
