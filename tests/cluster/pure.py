"""A plan without a cluster, for tests of what is built from it."""

from typing import Any

import msgspec

from bridgehead.cluster.convert import component_from
from bridgehead.core.plan.plan import Plan
from bridgehead.core.plan.settings import (
    ContainerImage,
    ImagesChange,
    ProbeSettings,
    VerifySettings,
)
from tests.cluster.components import daemon_set, plan_of


def plan(
    *,
    changes: dict[str, str] | None = None,
    probe: ProbeSettings | None = None,
    **template_spec: Any,
) -> Plan:
    """A plan for a template with these fields; ``changes`` are images by container."""
    raw = daemon_set("gpu", "registry.example/plugin:1")
    raw["metadata"]["uid"] = "u1"
    raw["spec"]["template"]["spec"] |= template_spec
    made = plan_of(component_from(raw), target_image="registry.example/plugin:2")
    wanted = changes or {"plugin": "registry.example/plugin:2"}
    images = tuple(ContainerImage(name, image) for name, image in sorted(wanted.items()))
    spec = msgspec.structs.replace(
        made.spec, change=ImagesChange(images), verify=VerifySettings(probe=probe)
    )
    return msgspec.structs.replace(made, spec=spec)
