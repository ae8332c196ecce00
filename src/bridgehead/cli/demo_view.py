"""The demonstration on a screen: nodes with their devices, and what is told between."""

import textwrap
import time
from collections.abc import Iterator, Sequence
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.text import Text

from bridgehead.twin.demos.sight import NodeSight

WIDTH = 80
"""Columns that must do, with and without a terminal."""

BEAT = 0.07
"""Seconds of real time that a viewer gets for each thing that is told."""

_HEADER = ("NODE", "CARDS", "KERNEL", "PLUGIN", "DEVICES", "JOBS")


class Screen:
    """Prints to a stream; on a terminal the table of nodes stays in view and moves."""

    def __init__(self, stream: TextIO, *, hurry: bool) -> None:
        """``hurry``: no pauses for the viewer; without a terminal there are none anyway."""
        self._console = Console(file=stream, highlight=False, soft_wrap=True)
        self._live: Live | None = None
        self._pauses = self._console.is_terminal and not hurry

    def __enter__(self) -> Self:
        if self._console.is_terminal:
            self._live = Live(console=self._console, auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def title(self, words: str) -> None:
        """A heading, with room above it."""
        self._console.print()
        self._console.print(Text(words, style="bold"))
        self.wait(8)

    def say(self, words: str, style: str = "", *, indent: int = 2, hang: int = 0) -> None:
        """A paragraph or a line; ``hang`` is how much further in its other lines begin."""
        lines = textwrap.wrap(
            words,
            WIDTH,
            initial_indent=" " * indent,
            subsequent_indent=" " * (indent + hang),
            break_on_hyphens=False,
        )
        for line in lines:
            self._console.print(Text(line, style=style))
        self.wait(1)

    def nodes(self, nodes: Sequence[NodeSight]) -> None:
        """Print the table of nodes for good."""
        self._console.print()
        for line in self._table(nodes):
            self._console.print(line)
        self._console.print()
        self.wait(8)

    def move(self, nodes: Sequence[NodeSight]) -> None:
        """Show how the nodes are now; only where there is a terminal."""
        if self._live is not None:
            self._live.update(Text("\n").join([Text(), *self._table(nodes)]), refresh=True)
            self.wait(0.5)

    def wait(self, beats: float) -> None:
        """Give the viewer time; simulated time does not pass meanwhile."""
        if self._pauses:
            time.sleep(beats * BEAT)

    def _table(self, nodes: Sequence[NodeSight]) -> list[Text]:
        rows = [list(self._cells(node)) for node in nodes]
        rows.insert(0, [Text(name, style="dim") for name in _HEADER])
        widths = [max(cell.cell_len for cell in column) for column in zip(*rows, strict=True)]
        lines = []
        for row in rows:
            line = Text("  ")
            for cell, width in zip(row, widths, strict=True):
                line.append_text(cell)
                line.append(" " * (width - cell.cell_len + 2))
            line.rstrip()
            lines.append(line)
        return lines

    def _cells(self, node: NodeSight) -> Iterator[Text]:
        yield Text(node.name, style="yellow" if node.cordoned else "")
        yield Text(node.product.removeprefix("NVIDIA-"))
        yield Text(node.kernel)
        style = "" if node.state == "Ready" else "yellow"
        yield Text(f"{node.version} {node.state}".strip() or "-", style=style)
        full, empty = ("■", "·") if self._console.encoding.startswith("utf") else ("#", ".")
        bar = full * node.offered + empty * (node.present - node.offered)
        whole = node.offered == node.present
        yield Text(f"{bar} {node.offered}/{node.present}", style="green" if whole else "red")
        yield Text(", ".join(node.jobs))
