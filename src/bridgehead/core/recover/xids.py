"""Whether an error that a GPU has reported is an application's, so that a restart may follow."""

from bridgehead.core.components.xids import APPLICATION_XIDS, xids_in


def xid_class(said: str) -> tuple[bool | None, str]:
    """Whether all Xids in a text are applications' errors, and why; None where it names none."""
    found = xids_in(said)
    if not found:
        return None, "no Xid number is quoted"
    hard = [number for number in found if number not in APPLICATION_XIDS]
    named = ", ".join(str(number) for number in hard or found)
    if hard:
        return False, f"Xid {named} is not known to be an application's error"
    return True, f"Xid {named} is an application's error"
