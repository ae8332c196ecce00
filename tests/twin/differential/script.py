"""What is asked of both servers: scripts of kubectl commands, as data.

A script is played in a namespace of its own and makes its own objects. Most steps are compared;
a step that waits is not.
"""

from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import msgspec
import yaml

SCRIPTS = Path(__file__).parent / "scripts"


class Step(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One command, without the word kubectl."""

    run: str
    stdin: str = ""
    shows: str = ""
    """A pattern: the command is repeated until its output holds it, and not compared."""
    gone: bool = False
    """The command is repeated until it fails, and not compared."""
    any_order: bool = False
    """Whether the lines of its output come in an order of chance."""
    until: str = ""
    """A line of its output, from which on it is not compared: what follows is the node's past."""
    editor: str = ""
    """A command that changes the file that kubectl edits."""
    quiet: bool = False
    """A preparation: it must succeed, and is not compared."""

    @property
    def is_compared(self) -> bool:
        """Whether the step is an interaction, not a wait or a preparation."""
        return not (self.shows or self.gone or self.quiet)


class Script(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Steps, and what they need."""

    name: str
    about: str
    steps: tuple[Step, ...]
    files: Mapping[str, str] = {}
    nodes: int = 0
    """How many nodes it has for itself."""
    images: Mapping[str, Mapping[str, Any]] = {}
    """Images of the fake driver that its nodes have: name to knobs."""

    @property
    def interactions(self) -> list[Step]:
        """The steps that are compared."""
        return [step for step in self.steps if step.is_compared]


def filled(text: str, names: Mapping[str, str]) -> str:
    """A text with the names of this playing; anything else that looks like a name stays."""
    return Template(text).safe_substitute(names)


def script_names() -> list[str]:
    """All scripts, sorted."""
    return sorted(path.stem for path in SCRIPTS.glob("*.yaml"))


def load(name: str) -> Script:
    """A script by name. Raises msgspec.ValidationError for one that is not well written."""
    raw = yaml.safe_load((SCRIPTS / f"{name}.yaml").read_text())
    steps = [{"run": step} if isinstance(step, str) else step for step in raw["steps"]]
    return msgspec.convert({"name": name, **raw, "steps": steps}, Script)
