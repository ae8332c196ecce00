"""Numbers that clients write as text, read as Go reads them: of 64 bits, whatever their length.

Python reads more than that (other digits, blanks, underscores) and refuses numbers of thousands of
digits in a way of its own.
"""

import re

_FORM = re.compile(r"[+-]?0*([0-9]{1,19})", re.ASCII)


def int64(text: str) -> int | None:
    """A number from -2^63 to 2^63 - 1; None for any other text."""
    form = _FORM.fullmatch(text)
    if form is None:
        return None
    found = int(form[1]) * (-1 if text.startswith("-") else 1)
    return found if -(1 << 63) <= found < 1 << 63 else None
