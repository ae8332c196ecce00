"""What a path leads to, where that is no regular file: reading it might wait for ever.

A named pipe waits for somebody to write, a device may have no end. The pipe of a shell's
``<(command)`` and the standard input are open already, so that reading them ends with the command.
"""

import os
import re
import stat
from pathlib import Path

_OPEN = re.compile(r"/dev/(stdin|fd/\d+)|/proc/(self|\d+)/fd/\d+")
_KINDS = (
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISDIR, "a folder"),
)


def no_file(path: Path, *, named: bool = False) -> str:
    """Why the path is not read; empty for a regular file.

    ``named``: the user named it, so that a pipe which is open already serves as well. Raises
    OSError where nothing is there or it cannot be looked at.
    """
    mode = path.stat().st_mode
    if stat.S_ISREG(mode) or (named and _is_open_pipe(path)):
        return ""
    kind = next((word for test, word in _KINDS if test(mode)), "no regular file")
    return f"it is {kind}, no file to be read"


def _is_open_pipe(path: Path) -> bool:
    return path.is_fifo() and bool(_OPEN.fullmatch(os.path.abspath(path)))  # noqa: PTH100
