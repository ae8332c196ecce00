"""Whether a resource is one that a plugin itself offers, or would once it runs."""

import re

from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.model.json import JsonObject, canonical, child, children


def own_alone(scene: Scene, plugin: Plugin, name: str) -> bool:
    """Whether this plugin offers the name, or would, and no other one."""
    others = (item for item in scene.plugins if item.component.ref != plugin.component.ref)
    return _owns(plugin, name) and not any(_owns(other, name) for other in others)


def has_offered(scene: Scene, post: Post, name: str) -> bool:
    """Whether the plugin is known to offer the name, or to have done so in another shape of it.

    By its family, by what a revision gives its containers, by its log, or by what the run that it
    failed in had read before: a name of the same domain alone may have been another plugin's.
    """
    plugin = post.plugin
    family = plugin.family
    templates = [item.template for item in templates_of(scene, plugin.component)]
    if (family.resources and family.offers(name)) or any(
        _gives(template, name) for template in (plugin.component.template, *templates)
    ):
        return True
    if post.condemned and (post.node.name, name) in _read_before(scene):
        return True
    whole = _whole(name)
    return any(whole.search(line) for _, log in post.logs for line in log.lines)


def given_up(scene: Scene, post: Post, name: str) -> bool | None:
    """Whether the standing revision, which this post runs, has given up a name of the former one.

    None where the templates do not tell; False where there was no former one, or it stands still.
    """
    standing, former = former_of(templates_of(scene, post.plugin.component))
    if standing is None or former is None or post.pod is None:
        return False
    if post.pod.revision != standing.hash or _gives(standing.template, name):
        return False
    return True if _gives(former.template, name) else None


def _read_before(scene: Scene) -> set[tuple[str, str]]:
    """Nodes and names of earlier readings; those that a run looks at are of its component alone."""
    return {(item.node, item.resource) for item in scene.observed.history if item.allocatable}


def _owns(plugin: Plugin, name: str) -> bool:
    """Whether the plugin offers the name, or would once it runs."""
    family = plugin.family
    if name in plugin.resources or (family.resources and family.offers(name)):
        return True
    return _gives(plugin.component.template, name)


def _gives(template: JsonObject, name: str) -> bool:
    given = [
        {key: item[key] for key in ("command", "args", "env") if key in item}
        for item in containers_of(template)
    ]
    return _whole(name).search(canonical(given)) is not None


def _whole(name: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w./-]){re.escape(name)}(?![\w./-])")


def containers_of(template: JsonObject) -> tuple[JsonObject, ...]:
    """All containers of a pod template, those for its start first."""
    spec = child(template, "spec")
    return (*children(spec, "initContainers"), *children(spec, "containers"))
