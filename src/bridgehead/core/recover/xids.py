"""Whether the errors that a node's GPUs have reported are all applications', so that a restart may
follow."""

from collections.abc import Iterable

from bridgehead.core.components.xids import APPLICATION_XIDS, is_applications, xids_in


def xid_class(lines: Iterable[str]) -> tuple[bool | None, str]:
    """Whether all Xids that lines about one node give are applications' errors, and why.

    One that is not outweighs all others. None where there is no line, or one without a number: that
    may be of any error.
    """
    said = tuple(lines)
    found = sorted({number for line in said for number in xids_in(line)})
    hard = [number for number in found if number not in APPLICATION_XIDS]
    if hard:
        return False, f"Xid {_listed(hard)} is not known to be an application's error"
    unnumbered = [line for line in said if is_applications(line) is None]
    if unnumbered:
        return None, f"no Xid number is quoted in: {unnumbered[0]}"
    if not found:
        return None, "no Xid of this node is quoted"
    return True, f"Xid {_listed(found)} is an application's error"


def _listed(numbers: Iterable[int]) -> str:
    return ", ".join(str(number) for number in numbers)
