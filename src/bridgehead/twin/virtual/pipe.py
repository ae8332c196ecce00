"""A connection in memory: two transports, each the other's far end, with flow control.

What is written arrives in order, ``latency`` simulated seconds later. A close arrives after what
was written before it; an abort loses that, and the far end sees a reset, as with TCP.
"""

import asyncio
from collections import deque
from collections.abc import Iterable
from typing import Any

HIGH = 256 * 1024
"""Bytes under way above which the writer is asked to pause; below a quarter it may go on."""


def join(near: asyncio.Protocol, far: asyncio.Protocol, *, latency: float = 0.0) -> None:
    """Connect two protocols; both are told at once."""
    one, other = _End(near, latency), _End(far, latency)
    one.peer, other.peer = other, one
    far.connection_made(other)
    near.connection_made(one)


class _End(asyncio.Transport):
    """One end of a connection."""

    peer: "_End"

    def __init__(self, protocol: asyncio.Protocol, latency: float) -> None:
        super().__init__()
        self._loop = asyncio.get_running_loop()
        self._protocol: asyncio.BaseProtocol = protocol
        self._latency = latency
        self._sent: deque[tuple[float, bytes]] = deque()
        """What is under way to the peer, and when it is due there."""
        self._size = 0
        self._high, self._low = HIGH, HIGH // 4
        self._delivering = False
        self._paused_writing = False
        self._paused_reading = False
        self._closing = False
        self._lost = False

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Addresses only; there is no socket."""
        return ("127.0.0.1", 0) if name in {"peername", "sockname"} else default

    def get_protocol(self) -> asyncio.BaseProtocol:
        return self._protocol

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        self._protocol = protocol

    def is_closing(self) -> bool:
        return self._closing

    def is_reading(self) -> bool:
        return not self._paused_reading and not self._closing

    def pause_reading(self) -> None:
        self._paused_reading = True

    def resume_reading(self) -> None:
        self._paused_reading = False
        self.peer.schedule()

    def can_write_eof(self) -> bool:
        return False

    def get_write_buffer_size(self) -> int:
        return self._size

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return self._low, self._high

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        self._high = HIGH if high is None else high
        self._low = self._high // 4 if low is None else low

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Send; what is sent after a close is lost."""
        if self._closing or not data:
            return
        self._sent.append((self._loop.time() + self._latency, bytes(data)))
        self._size += len(data)
        if self._size > self._high and not self._paused_writing:
            self._paused_writing = True
            self._protocol.pause_writing()
        self.schedule()

    def writelines(self, list_of_data: Iterable[Any]) -> None:
        """Send several pieces as one."""
        self.write(b"".join(list_of_data))

    def close(self) -> None:
        """End the connection once everything has arrived."""
        if not self._closing:
            self._closing = True
            self.schedule()

    def abort(self) -> None:
        """End it now; what is under way is lost."""
        if self._lost:
            return
        self._closing = True
        self._sent.clear()
        self._loop.call_soon(self._lose, None)
        self._loop.call_soon(self.peer.reset)

    def reset(self) -> None:
        """The peer has aborted."""
        self._closing = True
        self._sent.clear()
        self._lose(ConnectionResetError(104, "Connection reset by peer"))

    @property
    def holds(self) -> bool:
        """Whether what comes has to wait: nobody reads now, but somebody will."""
        return self._paused_reading and not self._closing

    def schedule(self) -> None:
        """Deliver when the next piece is due, unless the peer reads nothing now."""
        if self._delivering or self._lost:
            return
        if self._sent:
            if self.peer.holds:
                return
            due = self._sent[0][0]
            wait = due - self._loop.time()
            self._delivering = True
            if wait > 0:
                self._loop.call_at(due, self._deliver)
            else:
                self._loop.call_soon(self._deliver)
        elif self._closing:
            self._delivering = True
            self._loop.call_soon(self._finish)

    def _deliver(self) -> None:
        self._delivering = False
        peer = self.peer
        now, due = self._loop.time(), []
        if peer.is_reading():
            while self._sent and self._sent[0][0] <= now:
                due.append(self._sent.popleft()[1])
        elif peer.is_closing():  # nobody reads there any more
            self._sent.clear()
            self._size = 0
        if due:
            data = b"".join(due)
            self._size -= len(data)
            protocol = peer.get_protocol()
            if isinstance(protocol, asyncio.Protocol):
                protocol.data_received(data)
        if self._paused_writing and self._size <= self._low and not self._lost:
            self._paused_writing = False
            self._protocol.resume_writing()
        self.schedule()

    def _finish(self) -> None:
        """Everything has arrived: the peer reads an end of file, and both are closed."""
        self._delivering = False
        self._lose(None)
        self.peer.ended()

    def ended(self) -> None:
        """The peer has closed and nothing more comes."""
        if self._lost:
            return
        if isinstance(self._protocol, asyncio.Protocol):
            self._protocol.eof_received()
        self._closing = True
        self._sent.clear()
        self._loop.call_soon(self._lose, None)

    def _lose(self, error: Exception | None) -> None:
        if not self._lost:
            self._lost = True
            self._protocol.connection_lost(error)
