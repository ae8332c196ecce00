"""Pods of the stand-in: how a kubelet takes a plugin's pod up, and a pod of our own."""

from dataclasses import dataclass

from bridgehead.core.model.pod import REVISION_HASH, Container, Pod
from bridgehead.core.rollout.commands import Role
from bridgehead.core.verify.probe import ABSENT_COMMAND
from tests.core.standin.versions import Version

NAMESPACE = "plugins"
GRACE = 1.0
"""Seconds from a pod's deletion to its end."""


@dataclass
class PluginPod:
    """One pod of the component."""

    name: str
    uid: str
    node: str
    revision: str
    image: str
    version: Version
    created: float
    deleting: float | None = None
    admitted: bool = False
    failed: bool = False
    started: float | None = None
    ended: float | None = None
    restarts: int = 0
    unready: bool = False

    def tick(self, now: float) -> None:
        """One moment of a kubelet that works."""
        if self.failed or (self.version.pull_error and self.admitted):
            return
        if not self.admitted and now >= self.created + 0.5:
            self.admitted = True
            self.failed = bool(self.version.refused)
        elif self.admitted and self.started is None and now >= self._next_start():
            self.restarts += self.ended is not None
            self.started, self.ended = now, None
        unready = self.version.unready_after
        if unready is not None and self.started is not None and now >= self.started + unready:
            self.unready = True
        crash = self.version.crash_after
        if crash is not None and self.started is not None and now >= self.started + crash:
            self.started, self.ended = None, now

    def _next_start(self) -> float:
        if self.ended is None:
            return self.created + self.version.start
        return self.ended + (1.0 if self.restarts == 0 else 10.0 * 2.0 ** (self.restarts - 1))

    @property
    def ready(self) -> bool:
        return self.started is not None and not self.failed and not self.unready

    def registered(self, now: float) -> bool:
        after = self.version.registers_after
        if self.started is None or after is None or now < self.started + after:
            return False
        flaps = self.version.flaps
        return flaps is None or (now - self.started) % flaps < flaps - 2.0

    def unhealthy(self, now: float) -> int:
        after = self.version.unhealthy_after
        if after is None or self.started is None or now < self.started + after:
            return 0
        return self.version.unhealthy

    @property
    def has_log(self) -> bool:
        return self.started is not None or self.ended is not None

    def value(self) -> Pod:
        """As the API server shows it."""
        return Pod(
            namespace=NAMESPACE,
            name=self.name,
            uid=self.uid,
            node=self.node,
            bound=True,
            labels={REVISION_HASH: self.revision},
            owner_kind="DaemonSet",
            owner_name="plugin",
            phase="Failed" if self.failed else "Running" if self.started else "Pending",
            reason=self.version.refused if self.failed else "",
            message="the node has no such device" if self.failed else "",
            admitted=self.admitted,
            ready=self.ready,
            deleting=self.deleting is not None,
            created=self.created,
            containers=(self._container(),),
        )

    def _container(self) -> Container:
        ran = self.started is not None or self.ended is not None
        image_id = (self.version.image_id or f"sha256:{self.image}") if ran else ""
        state, reason = "waiting", "ContainerCreating"
        if self.started is not None:
            state, reason = "running", ""
        elif self.ended is not None:
            reason = "CrashLoopBackOff"
        elif self.admitted and self.version.pull_error:
            reason = "ErrImagePull"
        return Container(
            name="plugin",
            image=self.image,
            image_id=image_id,
            container_id="containerd://1" if ran else "",
            ready=self.ready,
            restarts=self.restarts,
            state=state,
            reason=reason,
            last_exit_code=1 if self.ended is not None or self.restarts else None,
            last_reason="Error" if self.ended is not None or self.restarts else "",
        )


@dataclass
class OwnPod:
    """A pod of ours: it pulls an image, or asks for a device."""

    node: str
    role: Role
    uid: str
    created: float
    outcome: str = ""
    """Empty until decided: ``started``, ``refused`` or ``pull-error``."""
    deleting: float | None = None

    def value(self, image: str) -> Pod:
        shown = Container(name="probe", image=image)
        phase, reason, message = "Pending", "", ""
        match self.outcome:
            case "started":
                phase = "Failed"
                shown = Container(
                    name="probe",
                    image=image,
                    image_id=f"sha256:{image}",
                    container_id="containerd://2",
                    state="terminated",
                    reason="StartError",
                    message=f'exec: "{ABSENT_COMMAND}": no such file or directory',
                    exit_code=128,
                )
            case "refused":
                phase, reason = "Failed", "UnexpectedAdmissionError"
                message = "Allocate failed: rpc error: no device for you"
            case "pull-error":
                shown = Container(name="probe", image=image, state="waiting", reason="ErrImagePull")
            case _:
                pass
        return Pod(
            namespace=NAMESPACE,
            name=f"bridgehead-{self.role.value}-{self.node}",
            uid=self.uid,
            node=self.node,
            bound=True,
            phase=phase,
            reason=reason,
            message=message,
            admitted=bool(self.outcome),
            deleting=self.deleting is not None,
            created=self.created,
            requests={"vendor.com/gpu": 1} if self.role is Role.PROBE else {},
            containers=(shown,),
        )
