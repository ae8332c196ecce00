"""Why a strategic merge patch is refused.

Source: k8s.io/apimachinery/pkg/util/mergepatch/errors.go (1.37).
"""

from typing import Any

from bridgehead.twin.patches.go_text import go_text, go_type


class RefusedError(Exception):
    """A patch that cannot be merged; most such refusals reach the client as an error 500."""

    def __init__(self, message: str, *, bad_request: bool = False) -> None:
        super().__init__(message)
        self.bad_request = bad_request


def bad_type(expected: Any, actual: Any) -> RefusedError:
    """Something of another type than the field needs."""
    return RefusedError(f"expected a {go_type(expected)}, but received a {go_type(actual)}")


def no_merge_key(item: Any, key: str) -> RefusedError:
    """An item of a list that is a map, without the field that tells items apart."""
    return RefusedError(f"map: {go_text(item)} does not contain declared merge key: {key}")
