"""Programs that print what was recorded of real ones, for tests of what calls them."""

from pathlib import Path


def program(folder: Path, name: str, *, prints: str = "", says: str = "", code: int = 0) -> Path:
    """A program of that name in the folder; its arguments go to ``NAME.arguments``."""
    (folder / f"{name}.out").write_text(_lines(prints), encoding="utf-8")
    (folder / f"{name}.err").write_text(_lines(says), encoding="utf-8")
    path = folder / name
    path.write_text(
        "#!/bin/sh\n"
        f'printf "%s\\n" "$@" > "{folder}/{name}.arguments"\n'
        f'while IFS= read -r line; do printf "%s\\n" "$line"; done < "{folder}/{name}.out"\n'
        f'while IFS= read -r line; do printf "%s\\n" "$line" >&2; done < "{folder}/{name}.err"\n'
        f"exit {code}\n",
        encoding="utf-8",
    )
    path.chmod(0o755)
    return path


def _lines(text: str) -> str:
    """The loop of a shell passes over a last line without an end."""
    return f"{text}\n" if text and not text.endswith("\n") else text


def arguments(folder: Path, name: str) -> list[str]:
    """What the program was last called with."""
    return (folder / f"{name}.arguments").read_text(encoding="utf-8").splitlines()
