"""``python -m bridgehead.spec [--check]``: write or compare the schema and the reference page.

Run in the root of the repository. With ``--check`` nothing is written, and the exit code is 1 if a
file is not current.
"""

import json
import sys
from pathlib import Path

from bridgehead.spec.reference import reference_page
from bridgehead.spec.schema import rollout_schema

FOLDER = Path("docs/reference")


def generated() -> dict[str, str]:
    """Each generated file of the reference folder and its text."""
    return {
        "rollout.schema.json": json.dumps(rollout_schema(), indent=2) + "\n",
        "spec.md": reference_page(),
    }


def main(arguments: list[str]) -> int:
    """Write or check; the files that are not current are named on stdout."""
    check = arguments == ["--check"]
    if arguments and not check:
        sys.stderr.write("usage: python -m bridgehead.spec [--check]\n")
        return 2
    stale = [name for name, text in generated().items() if _current(name) != text]
    for name in stale:
        if not check:
            (FOLDER / name).write_text(generated()[name], encoding="utf-8")
        sys.stdout.write(f"{FOLDER / name}: {'not current' if check else 'written'}\n")
    return 1 if check and stale else 0


def _current(name: str) -> str:
    path = FOLDER / name
    return path.read_text(encoding="utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
