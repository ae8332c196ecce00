"""Plugins that something seen to be wrong is about: of these alone the API server is asked."""

from bridgehead.core.diagnose.device_signs import resources_of
from bridgehead.core.diagnose.scene import Plugin, Scene
from bridgehead.core.diagnose.symptom import daemon_set_key, pod_key


def plugins_with_symptoms(scene: Scene) -> tuple[Plugin, ...]:
    """Those with a symptom of the DaemonSet, of a pod of theirs, or of devices that they offer."""
    keys = {item.key for item in scene.symptoms}
    short = {item.resource for item in scene.symptoms_with("devices/")}
    return tuple(item for item in scene.plugins if _is_suspect(scene, item, keys, short))


def _is_suspect(scene: Scene, plugin: Plugin, keys: set[str], short: set[str]) -> bool:
    component = plugin.component
    if daemon_set_key(component.namespace, component.name) in keys:
        return True
    if any(pod_key(pod) in keys for pod in plugin.pods):
        return True
    return bool(short) and not short.isdisjoint(resources_of(scene, plugin))
