"""What a plugin's process may do, as far as its template says."""

import msgspec

from bridgehead.core.components.registration import DEVICE_PLUGINS
from bridgehead.core.diagnose.post import Post, container_mounting
from bridgehead.core.model.json import JsonObject, JsonValue, child, children, text

_APPARMOR = "container.apparmor.security.beta.kubernetes.io/"
# Distributions that enforce SELinux or AppArmor as they come, by words of osImage.
_SELINUX = (
    "red hat",
    "rhel",
    "fedora",
    "centos",
    "rocky",
    "alma",
    "oracle linux",
    "openshift",
    "coreos",
    "amazon linux 2023",
    "bottlerocket",
    "leap micro",
    "sle micro",
    "sl micro",
)
_APPARMOR_HOSTS = ("ubuntu", "suse", "sles", "leap", "debian")


class Rights(msgspec.Struct, frozen=True, kw_only=True):
    """Of the container that registers; ``user`` is None where the image decides."""

    container: str
    user: int | None
    non_root: bool
    privileged: bool
    selinux_type: str
    apparmor: str
    """``Unconfined``, ``RuntimeDefault``, ``Localhost``, or empty where nothing is said."""

    @property
    def not_root(self) -> bool:
        """Whether the template says that the process is not root."""
        return self.non_root if self.user is None else self.user != 0


def rights_of(post: Post) -> Rights:
    """The rights of the plugin's container, by its pod or else by its template."""
    return rights_in(post.raw or post.plugin.component.template)


def rights_in(raw: JsonObject) -> Rights:
    """The same by a pod or template."""
    spec = child(raw, "spec")
    containers = children(spec, "containers")
    container = container_mounting(raw, DEVICE_PLUGINS) or (containers[0] if containers else {})
    pod, own = child(spec, "securityContext"), child(container, "securityContext")
    name = text(container, "name")
    user = child(own, "runAsUser")
    if user is None:
        user = child(pod, "runAsUser")
    return Rights(
        container=name,
        user=user if isinstance(user, int) else None,
        non_root=True in (child(own, "runAsNonRoot"), child(pod, "runAsNonRoot")),
        privileged=child(own, "privileged") is True,
        selinux_type=_either(own, pod, "seLinuxOptions", "type"),
        apparmor=_either(own, pod, "appArmorProfile", "type") or _annotated(raw, name),
    )


def enforces_selinux(os_image: str) -> bool:
    """Whether the distribution enforces SELinux as it comes; nothing in the API says if it does."""
    return any(word in os_image.casefold() for word in _SELINUX)


def enforces_apparmor(os_image: str) -> bool:
    """Whether the distribution confines containers by AppArmor as it comes."""
    lower = os_image.casefold()
    return any(word in lower for word in _APPARMOR_HOSTS) and not enforces_selinux(os_image)


def _either(own: JsonValue, pod: JsonValue, *path: str) -> str:
    return text(own, *path) or text(pod, *path)


def _annotated(raw: JsonObject, container: str) -> str:
    """The form before Kubernetes 1.30: unconfined, runtime/default, localhost/NAME."""
    value = text(raw, "metadata", "annotations", f"{_APPARMOR}{container}")
    return "Unconfined" if value == "unconfined" else value
