"""Splits the bytes of a watch into lines of any length."""


class LineSplitter:
    """Collects chunks until a line is whole.

    By hand, since readers of lines raise on long ones (aio-libs/aiohttp#4453,
    tomplus/kubernetes_asyncio#137) and an object may be megabytes long. A fragment that is left
    when the connection ends is dropped with the splitter: the watch resumes before it.
    """

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def feed(self, chunk: bytes) -> list[bytes]:
        """Whole lines that this chunk completes, without their line ends; empty ones left out."""
        first, *rest = chunk.split(b"\n")
        self._parts.append(first)
        if not rest:
            return []
        lines = [b"".join(self._parts), *rest[:-1]]
        self._parts = [rest[-1]]
        return [line for line in lines if line]
