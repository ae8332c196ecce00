"""Pods at certain stages of their lives, for a real kubelet and for the twin's alike."""

from collections.abc import Callable
from typing import Any, NamedTuple

from bridgehead.twin.objects import Object, items, text

PLUGINS = "/var/lib/kubelet/device-plugins"

VERSIONS: dict[str, dict[str, Any]] = {
    "v1": {},
    "exits": {"initFailure": "exit"},
    "crashes": {"crashAfter": "1s", "crashExitCode": 3},
    "ends": {"crashAfter": "1s", "crashExitCode": 0, "crashMessage": "done"},
    "blocks": {"initFailure": "block"},
    "speaks-json": {"logFormat": "json", "resourceSuffix": "-j", "devices": 0},
    "speaks-logrus": {"logFormat": "logrus", "resourceSuffix": "-l", "fewerDevices": 3},
    "speaks-plain": {"logFormat": "plain", "resourceSuffix": "-n", "logLines": ["word for word"]},
    "refuses": {"allocateError": "no free device node", "resourceSuffix": "-a"},
    "loses": {"preferredError": "device lost", "resourceSuffix": "-f"},
    "unprepared": {"preStartError": "reset failed", "resourceSuffix": "-p"},
    "cdi": {"cdiKind": "vendor.com/fake", "resourceSuffix": "-c"},
    "old": {"apiVersion": "v1alpha1", "resourceSuffix": "-o"},
    "nameless": {"resourceSuffix": "-bad!"},
    "sickens": {"unhealthyAfter": "3s", "unhealthyDevices": 1},
    "late": {"registers": "late", "registerDelay": "4s"},
    "hangs": {"allocateHang": True},
    "silent": {"optionsError": "not today", "resourceSuffix": "-s"},
}
"""Versions of the fake driver."""

Until = Callable[[Object], bool]


class Case(NamedTuple):
    """One pod, and when it is looked at."""

    name: str
    spec: Object
    until: Until


class Words(NamedTuple):
    """Names that differ from one playing to the next."""

    prefix: str
    """Of the images."""
    resource: str
    node: str
    registry: str
    """Host and port of a registry that answers, and has nothing."""

    def image(self, name: str) -> str:
        """The reference of ``hold``, or of a version of the fake driver."""
        return f"{self.prefix}/hold:v1" if name == "hold" else f"{self.prefix}/fake:{name}"

    @property
    def absent(self) -> str:
        """An image that the registry does not have."""
        return f"{self.registry}/none/none:v1"

    @property
    def why_absent(self) -> str:
        """As containerd says that."""
        image = self.absent
        return (
            f'rpc error: code = NotFound desc = failed to pull and unpack image "{image}": '
            f"failed to resolve image: {image}: not found"
        )

    def container(self, image: str, name: str = "main", **more: Any) -> Object:
        """A container of an image; of a plugin it sees the kubelet's folder."""
        whole = image if "/" in image else self.image(image)
        return {"name": name, "image": whole, **more}

    def plugin(self, image: str) -> Object:
        """The spec of a plugin's pod."""
        environment = [
            {"name": "FAKE_RESOURCE", "value": self.resource},
            {"name": "NODE_NAME", "valueFrom": {"fieldRef": {"fieldPath": "spec.nodeName"}}},
        ]
        mounts = [{"name": "plugins", "mountPath": PLUGINS}]
        own = self.container(image, env=environment, volumeMounts=mounts)
        return self.spec(own, volumes=[{"name": "plugins", "hostPath": {"path": PLUGINS}}])

    def spec(self, *containers: Object, **more: Any) -> Object:
        """The spec of a pod that is bound to the node."""
        return {
            "nodeName": self.node,
            "terminationGracePeriodSeconds": 2,
            "containers": list(containers),
            **more,
        }

    def asking(self, count: int, suffix: str = "") -> Object:
        """The part of a container that asks for devices."""
        return {"resources": {"limits": {f"{self.resource}{suffix}": str(count)}}}


def state(pod: Object, name: str = "main") -> Object:
    """What the pod's status says of a container."""
    listed = (
        *items(pod, "status", "containerStatuses"),
        *items(pod, "status", "initContainerStatuses"),
    )
    return next((item for item in listed if item["name"] == name), {})


def is_ready(pod: Object) -> bool:
    """Whether the pod is Ready."""
    listed = items(pod, "status", "conditions")
    return any((item["type"], item["status"]) == ("Ready", "True") for item in listed)


def waits(reason: str, name: str = "main") -> Until:
    """A container waits for a reason."""
    return lambda pod: text(state(pod, name), "state", "waiting", "reason") == reason


def ended(phase: str) -> Until:
    """All is over: the sandbox is gone too."""

    def over(pod: Object) -> bool:
        listed = items(pod, "status", "conditions")
        gone = any(
            (item["type"], item["status"]) == ("PodReadyToStartContainers", "False")
            for item in listed
        )
        return text(pod, "status", "phase") == phase and gone

    return over


def refused(pod: Object) -> bool:
    """The kubelet did not admit it."""
    return bool(text(pod, "status", "reason"))


def plain(words: Words) -> list[Case]:
    """Pods that need no device."""
    failing, ending = words.container("exits"), words.container("ends")
    probe = words.container("v1", command=["/.bridgehead-probe"])
    probe_of_port = {"tcpSocket": {"port": 8080}, "periodSeconds": 1, "failureThreshold": 2}
    deaf = words.container("hold", startupProbe=probe_of_port)
    sized = {"limits": {"cpu": "50m", "memory": "20Mi"}}
    asked = {"requests": {"cpu": "5m"}}
    absent = {"valueFrom": {"configMapKeyRef": {"name": "absent", "key": "a"}}}
    spec, hold = words.spec, words.container("hold")
    return [
        Case("runs", spec(hold), is_ready),
        Case("two", spec(words.container("hold", "b"), words.container("hold", "a")), is_ready),
        Case("guaranteed", spec(words.container("hold", resources=sized)), is_ready),
        Case("burstable", spec(words.container("hold", resources=asked)), is_ready),
        Case("on-host", spec(hold, hostNetwork=True), is_ready),
        Case("deaf", spec(deaf, restartPolicy="Never"), ended("Succeeded")),
        Case("crash-loop", spec(failing), waits("CrashLoopBackOff")),
        Case("fails", spec(failing, restartPolicy="Never"), ended("Failed")),
        Case("no-command", spec(probe, restartPolicy="Never"), ended("Failed")),
        Case("no-command-loop", spec(probe), waits("CrashLoopBackOff")),
        Case(
            "init-fails",
            spec(hold, initContainers=[words.container("exits", "one"), {**hold, "name": "two"}]),
            waits("CrashLoopBackOff", "one"),
        ),
        Case(
            "init-fails-once",
            spec(hold, restartPolicy="Never", initContainers=[words.container("exits", "one")]),
            ended("Failed"),
        ),
        Case(
            "beside",
            spec(hold, initContainers=[words.container("hold", "side", restartPolicy="Always")]),
            is_ready,
        ),
        Case(
            "half",
            spec(words.container("hold", "good"), words.container("exits", "bad")),
            waits("CrashLoopBackOff", "bad"),
        ),
        Case("no-map", spec(words.container("hold", env=[{"name": "A", **absent}])), _no_config),
        Case(
            "never",
            spec(words.container("registry.test/none:v1", imagePullPolicy="Never")),
            waits("ErrImageNeverPull"),
        ),
        Case("no-image", spec(words.container(words.absent)), waits("ImagePullBackOff")),
        Case("nonsense", spec(words.container("Not/Valid:x")), waits("InvalidImageName")),
        Case("outside", spec(ending, restartPolicy="Never"), ended("Failed")),
    ]


def _no_config(pod: Object) -> bool:
    return waits("CreateContainerConfigError")(pod)


def using_devices(words: Words) -> list[Case]:
    """Pods that ask for devices of a plugin that runs already."""
    spec, one = words.spec, words.asking(1)
    probe = words.container("v1", command=["/.bridgehead-probe"], **one)
    return [
        Case("holder", spec(words.container("hold", **one)), is_ready),
        Case("too-many", spec(words.container("hold", **words.asking(9))), refused),
        Case("probes", spec(probe, restartPolicy="Never"), ended("Failed")),
        Case("refused", spec(words.container("hold", **words.asking(1, "-a"))), refused),
        Case("unchosen", spec(words.container("hold", **words.asking(1, "-f"))), refused),
        Case("unprepared", spec(words.container("hold", **words.asking(1, "-p"))), _no_config),
        Case(
            "unresolvable",
            spec(words.container("hold", **words.asking(1, "-c"))),
            waits("CreateContainerError"),
        ),
    ]
