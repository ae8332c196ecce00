"""Checks by name: ``uv run nox -s NAME``. Without a name, all that every change must pass."""

from pathlib import Path

import nox

nox.options.sessions = ["lint", "types", "tests"]
nox.options.default_venv_backend = "none"


@nox.session
def lint(session: nox.Session) -> None:
    """Style and the contract between the rooms of the house."""
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("lint-imports")


@nox.session
def types(session: nox.Session) -> None:
    """Types, strictly."""
    session.run("mypy")


@nox.session
def tests(session: nox.Session) -> None:
    """Everything that takes minutes; the real cluster too where its parts are built."""
    session.run("pytest", *session.posargs)


@nox.session
def long(session: nox.Session) -> None:
    """What takes longer: timelines over five minutes, random kills, old API servers."""
    session.run("pytest", "--cluster", "-m", "long", *session.posargs)


@nox.session
def generate(session: nox.Session) -> None:
    """Write everything that is generated: schema, reference pages."""
    session.run("python", "-m", "bridgehead.spec")
    pages = {
        "cluster-writes": "bridgehead.cluster",
        "commands": "bridgehead.cli",
        "rules": "bridgehead.rules",
        "twin-differences": "tests.twin.differential.page",
    }
    for page, module in pages.items():
        text = session.run("python", "-m", module, silent=True)
        Path(f"docs/reference/{page}.md").write_text(str(text), encoding="utf-8")
