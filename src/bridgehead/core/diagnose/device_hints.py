"""What speaks for a node having devices of a plugin's family, apart from what it offers."""

from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import posts_of_plugin
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.inventory.placement import labels_asked_for
from bridgehead.core.journal.entry import Evidence

_ANY_NODE = ("kubernetes.io/", "beta.kubernetes.io/", "node-role.kubernetes.io/")
_DISCOVERY = "feature.node.kubernetes.io/"


def device_hint(scene: Scene, post: Post) -> Evidence | None:
    """Why the node should have such a device; None where nothing says so.

    A plugin that runs on every node finds nothing on most of them, and that is as it should be.
    """
    node = post.node
    if post.symptoms:
        first = post.symptoms[0]
        return first.evidence[0] if first.evidence else Evidence(f"node {node.name}", first.text)
    hints = post.plugin.family.hints_in(node.labels)
    if hints:
        return Evidence(f"labels of node {node.name}", ", ".join(hints))
    for name in post.names:
        if scene.trajectory(node.name, name).best:
            return scene.trajectory(node.name, name).evidence
    if lacks_device(post):
        return None
    placed = sorted(
        key
        for key in labels_asked_for(post.plugin.component.template)
        if not key.startswith(_ANY_NODE)
    )
    if placed:
        said = ", ".join(f"{key}={node.labels.get(key, '')}" for key in placed)
        return Evidence(f"labels of node {node.name} that place the plugin", said)
    if not any(other.alive for other in posts_of_plugin(scene, post.plugin)):
        what = post.names[0] if post.names else "a device of this plugin"
        return Evidence("status of all nodes", f"no node offers {what}")
    return None


def lacks_device(post: Post) -> bool:
    """Whether hardware discovery has looked at the node and has seen no device of the family.

    Only where the family's labels are known, and the node has labels of hardware at all.
    """
    family, labels = post.plugin.family, post.node.labels
    if not family.vendor_hints or family.hints_in(labels):
        return False
    return any(key.startswith(f"{_DISCOVERY}pci-") for key in labels)
