"""The Go types of Kubernetes' API as a file: what OpenAPI does not tell of them.

Generated data of the twin (`src/bridgehead/twin/schema/data/types.json.xz`), made anew for another
Kubernetes version by `python -m testbed describe-types FOLDER`.
"""

from __future__ import annotations

import json
import lzma
import subprocess
from pathlib import Path

from testbed.parts import binary


def describe_types(folder: Path) -> Path:
    """Write `types`: kinds, and of each struct its fields with their numbers in protobuf.

    The file is compressed JSON, the same bytes for the same types.
    """
    command = str(binary("apitypes", "apitypes"))
    answer = subprocess.run([command], stdout=subprocess.PIPE, check=True)
    value = json.loads(answer.stdout)
    content = json.dumps(value, sort_keys=True, separators=(",", ":")).encode()
    file = folder / "types.json.xz"
    file.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
    return file
