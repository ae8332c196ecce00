"""Whether a resource is one that a plugin itself offers, or would once it runs."""

import re

from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.model.json import JsonObject, canonical, child, children


def own_alone(scene: Scene, plugin: Plugin, name: str) -> bool:
    """Whether this plugin offers the name, or would, and no other one."""
    others = (item for item in scene.plugins if item.component.ref != plugin.component.ref)
    return _owns(plugin, name) and not any(_owns(other, name) for other in others)


def _owns(plugin: Plugin, name: str) -> bool:
    """Whether the plugin offers the name, or would once it runs."""
    family = plugin.family
    if name in plugin.resources or (family.resources and family.offers(name)):
        return True
    given = [
        {key: item[key] for key in ("command", "args", "env") if key in item}
        for item in containers_of(plugin.component.template)
    ]
    whole = rf"(?<![\w./-]){re.escape(name)}(?![\w./-])"
    return re.search(whole, canonical(given)) is not None


def containers_of(template: JsonObject) -> tuple[JsonObject, ...]:
    """All containers of a pod template, those for its start first."""
    spec = child(template, "spec")
    return (*children(spec, "initContainers"), *children(spec, "containers"))
