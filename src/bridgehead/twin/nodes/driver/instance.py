"""One resource that a plugin's process offers to the kubelet.

Source: testbed/go/fakedriver/plugin.go, register.go, serve.go, health.go and devices.go.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from bridgehead.twin.nodes.devices.folder import KUBELET_SOCKET
from bridgehead.twin.nodes.devices.plugin import (
    Allocated,
    Answer,
    Device,
    Options,
    PluginError,
    Stream,
)
from bridgehead.twin.nodes.driver import lines
from bridgehead.twin.nodes.driver.offers import Offer

if TYPE_CHECKING:
    from bridgehead.twin.nodes.driver.driver import Driver

_POLL = 0.2
"""Seconds after which it notices that kubelet.sock was made anew."""
_REGISTER_RETRY = 1.0


class Instance:
    """Serves, registers, and keeps the kubelet informed."""

    def __init__(self, driver: "Driver", offer: Offer) -> None:
        self._driver = driver
        self._knobs = driver.knobs
        self.offer = offer
        self.resource = offer.resource
        folder = self._knobs["serveDir"] or self._knobs["socketDir"]
        file = self.resource.replace("/", "_") + offer.mark
        if self._knobs["socketName"] == "unique":
            file += f"-{int(driver.around.clock.now() * 1e9)}"
        self.socket = f"{folder}/{file}.sock"
        self._ids = list(offer.ids)
        self._sick: set[str] = set()
        self._health_begun = False
        self._stream: Stream | None = None
        self._waiting: list[Answer] = []
        self._unwatch: Callable[[], object] = lambda: None

    def run(self) -> None:
        """Serve and register; once more whenever the kubelet comes back or refuses."""
        if not self._driver.around.sees_folder and not self._knobs["serveDir"]:
            self._driver.fail(
                f"failed to serve '{self.resource}': listen unix {self.socket}: "
                "bind: no such file or directory"
            )
            return
        self._driver.say(lines.SERVING, self.resource, self.socket)
        match self._knobs["registers"]:
            case "never":
                pass
            case "late":
                self._driver.after(self._knobs["registerDelay"], self._register)
            case _:
                self._register()

    def close(self) -> None:
        """The process is gone: the kubelet sees all its calls and streams break."""
        self._unwatch()
        self._stop_serving()

    def _stop_serving(self) -> None:
        stream, self._stream = self._stream, None
        waiting, self._waiting = self._waiting, []
        for answer in waiting:
            answer(PluginError.gone())
        if stream is not None:
            stream.end()

    def _register(self) -> None:
        folder = self._driver.around.folder
        socket = KUBELET_SOCKET
        if self._knobs["kubeletDir"]:
            socket = f"{self._knobs['kubeletDir']}/kubelet.sock"
        self._unwatch()
        self._unwatch = folder.watch(lambda: self._driver.after(_POLL, self._kubelet_came))
        try:
            folder.register(self, self._knobs["apiVersion"], socket=socket)
        except PluginError as error:
            self._unwatch()
            self._driver.say(lines.NOT_REGISTERED, self.resource, error)
            self._stop_serving()
            self._driver.after(_REGISTER_RETRY, self.run)
            return
        self._driver.say(lines.REGISTERED, self.resource)

    def _kubelet_came(self) -> None:
        match self._knobs["onKubeletRestart"]:
            case "ignore":
                return
            case "exit":
                self._driver.fail("kubelet restarted, exiting")
            case _:
                self._unwatch()
                self._driver.say(lines.KUBELET_CAME, self.resource)
                self._stop_serving()
                self.run()

    def options(self) -> Options:
        """What else the kubelet shall ask. Raises PluginError."""
        if error := self._knobs["optionsError"]:
            self._driver.say(lines.NO_OPTIONS, self.resource, error)
            raise PluginError.unknown(error)
        return Options(
            pre_start=bool(self._knobs["preStartError"]),
            preferred=bool(self._knobs["preferredAllocation"] or self._knobs["preferredError"]),
        )

    def watch(self, stream: Stream) -> None:
        """Send the list at once and after every change, until the stream ends."""
        self._stream = stream
        if not self._health_begun:
            self._health_begun = True
            self._watch_health()
        end = self._knobs["endStreamAfter"]
        if end == 0:
            self._end_stream(stream, lines.CLOSED_AT_ONCE)
            return
        if end is not None:
            self._driver.after(end, lambda: self._end_stream(stream, lines.CLOSED))
        self._send()

    def _end_stream(self, stream: Stream, line: lines.Line) -> None:
        if self._stream is stream:
            self._stream = None
            self._driver.say(line, self.resource)
            stream.end()

    def _send(self) -> None:
        if self._stream is not None:
            self._stream.send([Device(item, item not in self._sick) for item in self._ids])

    def _watch_health(self) -> None:
        after = self._knobs["unhealthyAfter"]
        if after is None:
            return
        if after == 0:
            self._mark(sick=True)
            self._recover_later()
        else:
            self._driver.after(after, self._turn_sick)

    def _turn_sick(self) -> None:
        self._mark(sick=True)
        self._send()
        self._recover_later()

    def _recover_later(self) -> None:
        if self._knobs["unhealthyFor"] is not None:
            self._driver.after(self._knobs["unhealthyFor"], self._recover)

    def _recover(self) -> None:
        self._mark(sick=False)
        self._send()
        if self._knobs["unhealthyRepeats"]:
            self._driver.after(max(self._knobs["unhealthyAfter"], _POLL), self._turn_sick)

    def _mark(self, *, sick: bool) -> None:
        count = self._knobs["unhealthyDevices"]
        touched = self._ids if count is None else self._ids[: max(count, 0)]
        line = lines.UNHEALTHY if sick else lines.HEALTHY
        for device in touched:
            self._sick.add(device) if sick else self._sick.discard(device)
            self._driver.say(line, self.resource, device)

    def preferred(self, available: Sequence[str], size: int) -> Sequence[str]:
        """The first ids on offer. Raises PluginError."""
        if error := self._knobs["preferredError"]:
            self._driver.say(lines.NOT_CHOSEN, self.resource, error)
            raise PluginError.unknown(error)
        return available[:size]

    def allocate(self, ids: Sequence[str], answer: Answer) -> None:
        """Put the granted ids into the container's environment, or do as the knobs say."""
        if self._knobs["allocateHang"]:
            self._waiting.append(answer)
        elif delay := self._knobs["allocateDelay"]:
            self._waiting.append(answer)
            self._driver.after(delay, lambda: self._answer_late(ids, answer))
        else:
            answer(self._granted(ids))

    def _answer_late(self, ids: Sequence[str], answer: Answer) -> None:
        if answer in self._waiting:
            self._waiting.remove(answer)
            answer(self._granted(ids))

    def _granted(self, ids: Sequence[str]) -> Allocated | PluginError:
        if error := self._knobs["allocateError"]:
            self._driver.say(lines.NOT_ALLOCATED, self.resource, error)
            return PluginError.unknown(error)
        self._driver.say(lines.ALLOCATED, self.resource, ",".join(ids))
        kind = self._knobs["cdiKind"]
        cdi = tuple(f"{kind}={device}" for device in ids) if kind else ()
        return Allocated(environment={"FAKE_DEVICES": ",".join(ids)}, cdi=cdi)

    def pre_start(self, ids: Sequence[str]) -> None:  # noqa: ARG002 - the interface's
        """Called only where the options ask for it, which they do to make it fail."""
        error = self._knobs["preStartError"]
        self._driver.say(lines.NOT_PREPARED, self.resource, error)
        raise PluginError.unknown(error)
