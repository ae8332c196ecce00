"""Uids and generated names, from a seed: the same seed gives the same ones in the same order."""

import random
import uuid

_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
"""Letters of generated names. Source: k8s.io/apimachinery/pkg/util/rand (no vowels, no words)."""


class Identifiers:
    """One source of chance for a whole twin."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - a simulation, no secret

    def uid(self) -> str:
        """A uid as the API server makes it: a random UUID."""
        return str(uuid.UUID(int=self.random.getrandbits(128), version=4))

    def suffix(self, length: int = 5) -> str:
        """The end of a generated name; five letters as of ``generateName``."""
        return "".join(self.random.choice(_ALPHABET) for _ in range(length))
