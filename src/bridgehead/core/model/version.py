"""Release numbers as tags and kubelets carry them."""

import re

_NUMBERS = re.compile(r"[vV]?(\d+)\.(\d+)(?:\.(\d+))?(?=$|[-+._])")


def version_in(text: str) -> tuple[int, int, int] | None:
    """``v1.31.4+k3s1`` as (1, 31, 4); None for what does not begin with such a number."""
    found = _NUMBERS.match(text)
    return (int(found[1]), int(found[2]), int(found[3] or 0)) if found else None
