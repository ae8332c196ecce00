"""How long each step of a pod's life takes: a table, and chance from the twin's seed."""

import random
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

import msgspec


class Stage(msgspec.Struct, frozen=True):
    """A step takes so many seconds, and up to so many more."""

    seconds: float
    jitter: float = 0.0

    def drawn(self, chance: random.Random) -> float:
        """How long it takes this time."""
        return self.seconds + chance.random() * self.jitter


@cache
def table() -> Mapping[str, Stage]:
    """The stages of ``stages.yaml``, by name; read when they are first asked for."""
    import yaml  # noqa: PLC0415 - only who runs nodes needs it

    file = files("bridgehead.twin.nodes") / "stages.yaml"
    return msgspec.convert(yaml.safe_load(file.read_text(encoding="utf-8")), dict[str, Stage])
