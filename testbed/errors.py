"""The one error of the test bed that is meant for a reader."""

from __future__ import annotations


class TestbedError(Exception):
    """Something that the test bed needs is missing or did not happen; the text says what to do."""

    __test__ = False  # the name begins with "Test"; pytest must not collect it
