"""The demonstration on a screen: nodes with their devices, and what is told between."""

import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.live import Live
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from bridgehead.twin.demos.sight import NodeSight

WIDTH = 80
"""Columns that must do, with and without a terminal."""

BEAT = 0.12
"""Seconds of real time that a viewer gets for each thing that changes."""


class Screen:
    """Prints to a stream; on a terminal the table of nodes stays in view and moves."""

    def __init__(self, stream: TextIO, *, hurry: bool) -> None:
        """``hurry``: no pauses for the viewer; without a terminal there are none anyway."""
        self._console = Console(file=stream, highlight=False, soft_wrap=False)
        if self._console.width > WIDTH or not self._console.is_terminal:
            self._console.width = WIDTH
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

    def say(self, words: str, style: str = "") -> None:
        """A paragraph or a line."""
        self._console.print(Padding(Text(words, style=style), (0, 0, 0, 2)))
        self.wait(1)

    def record(self, at: str, line: str, proof: Sequence[str], style: str) -> None:
        """One record of the journal, with what it rests on."""
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_row(Text(f"  {at}", style="dim"), Text(line, style=style))
        self._console.print(grid)
        for text in proof:
            self._console.print(Padding(Text(text.strip(), style="dim"), (0, 0, 0, 12)))
        self.wait(1)

    def nodes(self, nodes: Sequence[NodeSight]) -> None:
        """Print the table of nodes for good."""
        self._console.print()
        self._console.print(self._table(nodes))
        self._console.print()
        self.wait(8)

    def move(self, nodes: Sequence[NodeSight]) -> None:
        """Show how the nodes are now; only where there is a terminal."""
        if self._live is not None:
            self._live.update(self._table(nodes), refresh=True)
            self.wait(0.5)

    def wait(self, beats: float) -> None:
        """Give the viewer time; simulated time does not pass meanwhile."""
        if self._pauses:
            time.sleep(beats * BEAT)

    def _table(self, nodes: Sequence[NodeSight]) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="dim")
        table.add_column("")
        for header in ("NODE", "CARDS", "KERNEL", "PLUGIN", "DEVICES", "JOBS"):
            table.add_column(header, no_wrap=True, overflow="ellipsis")
        for node in nodes:
            table.add_row(
                Text(""),
                Text(node.name, style="yellow" if node.cordoned else ""),
                Text(node.product.removeprefix("NVIDIA-")),
                Text(node.kernel),
                Text(f"{node.version} {node.state}".strip() or "-", style=_style(node)),
                self._devices(node),
                Text(", ".join(node.jobs)),
            )
        return table

    def _devices(self, node: NodeSight) -> Text:
        full, empty = ("■", "·") if self._console.encoding.startswith("utf") else ("#", ".")
        bar = full * node.offered + empty * (node.present - node.offered)
        whole = node.offered == node.present
        return Text(f"{bar} {node.offered}/{node.present}", style="green" if whole else "red")


def _style(node: NodeSight) -> str:
    return "" if node.state == "Ready" else "yellow"
