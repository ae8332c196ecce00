"""A file gets other content, whole or not at all."""

import os
import shutil
import tempfile
from pathlib import Path


def overwrite(path: Path, text: str) -> None:
    """Put a text in place of a file's, with the file's rights; line ends stay as they are.

    It is written beside the file first: a full disk costs nothing. A link still leads to its file.
    Raises OSError.
    """
    target = path.resolve()
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as beside:
            beside.write(text)
        shutil.copymode(target, name)
        Path(name).replace(target)
    except (OSError, UnicodeError):
        Path(name).unlink(missing_ok=True)
        raise
