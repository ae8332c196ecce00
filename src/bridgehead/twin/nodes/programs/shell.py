"""Commands of a shell that jobs and workloads are written with: ``sleep``, ``exit``, ``echo``."""

import re
import shlex
from collections.abc import Sequence

import msgspec

from bridgehead.twin.nodes.programs.process import Deaf, Surroundings

_SHELLS = frozenset({"sh", "bash", "ash", "dash"})
_SUFFIXES = {"": 1.0, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


class Step(msgspec.Struct, frozen=True):
    """One simple command: how long it takes, what it prints, how it ends."""

    seconds: float = 0.0
    line: str | None = None
    code: int = 0
    leaves: bool = False
    """Whether it ends the script."""
    unless_failed: bool = False
    """Whether it is skipped after a command that failed, as behind ``&&``."""


def script_of(argv: Sequence[str]) -> list[Step] | None:
    """What a command line does; None where that cannot be told."""
    if not argv:
        return None
    name = argv[0].rpartition("/")[2]
    if name not in _SHELLS:
        step = _step(argv)
        return None if step is None else [step]
    if len(argv) < 3 or not argv[1].startswith("-") or "c" not in argv[1]:
        return None
    steps = []
    for joint, part in _parts(argv[2]):
        try:
            words = shlex.split(part)
        except ValueError:
            return None
        step = _step(words)
        if step is None:
            return None
        steps.append(msgspec.structs.replace(step, unless_failed=joint == "&&"))
    return steps


def _parts(script: str) -> list[tuple[str, str]]:
    """Simple commands, each with what joins it to the one before."""
    pieces = re.split(r"(&&|;|\n)", script)
    joints = ["", *pieces[1::2]]
    return [
        (joint, piece) for joint, piece in zip(joints, pieces[::2], strict=True) if piece.strip()
    ]


def _step(words: Sequence[str]) -> Step | None:
    name, args = words[0].rpartition("/")[2], list(words[1:])
    if name == "exec" and args:
        return _step(args)
    match name, args:
        case ("true" | ":" | "set", _):
            return Step()
        case "false", _:
            return Step(code=1)
        case "exit", [code] if code.isdecimal():
            return Step(code=int(code), leaves=True)
        case "exit", []:
            return Step(leaves=True)
        case "echo", _:
            return Step(line=" ".join(args))
        case "sleep", [length]:
            return _sleep(length)
        case _:
            return None


def _sleep(length: str) -> Step | None:
    if length == "infinity":
        return Step(seconds=float("inf"))
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smhd]?)", length)
    return Step(seconds=float(match[1]) * _SUFFIXES[match[2]]) if match else None


class Shell(Deaf):
    """Runs a script; like every shell as first process of a container it is deaf to SIGTERM."""

    def __init__(self, around: Surroundings, script: Sequence[Step]) -> None:
        super().__init__(around)
        self._left = list(script)
        self._code = 0

    def begin(self) -> None:
        """The next command."""
        while self._left:
            step = self._left.pop(0)
            if step.unless_failed and self._code:
                continue
            if step.line is not None:
                self.around.write(step.line)
            self._code = step.code
            if step.leaves:
                break
            if step.seconds == float("inf"):
                return
            if step.seconds:
                self.after(step.seconds, self.begin)
                return
        self.exit(self._code)
