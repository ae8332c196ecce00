"""A mistake in a file of the user's, with its place."""

from collections.abc import Iterable

import msgspec


class Problem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong at one place of one file; line and column count from 1.

    ``path`` names the value inside the document (``waves[1].nodes``) and is empty where the file as
    a whole is meant. ``excerpt`` is the source line. A warning does not keep the file from use.
    """

    file: str
    line: int
    column: int
    message: str
    path: str = ""
    suggestion: str | None = None
    excerpt: str = ""
    warning: bool = False

    def __str__(self) -> str:
        kind = "warning: " if self.warning else ""
        help_text = f"; {self.suggestion}" if self.suggestion else ""
        return f"{self.file}:{self.line}:{self.column}: {kind}{self.message}{help_text}"


class Unfit(msgspec.Struct, frozen=True):
    """A file or folder that another file names and that cannot be used: as a whole, or within."""

    message: str = ""
    suggestion: str | None = None
    problems: tuple[Problem, ...] = ()


# A terminal's width, less the margin with the line number.
_WIDEST = 90


def problems_text(problems: Iterable[Problem]) -> str:
    """One paragraph a problem: place and message, then the source line with a caret below."""
    return "".join(f"{problem}\n{_pointer(problem)}" for problem in problems)


def _pointer(problem: Problem) -> str:
    if not problem.excerpt.strip():
        return ""
    # Far to the right, the line is cut on its left, so that the caret stays in sight.
    cut = max(0, problem.column - _WIDEST // 2) if len(problem.excerpt) > _WIDEST else 0
    shown = problem.excerpt[cut : cut + _WIDEST].replace("\t", " ")
    margin = f"{problem.line:>5} | "
    caret = " " * (len(margin) - 2) + "| " + " " * (problem.column - 1 - cut) + "^"
    return f"{margin}{shown}\n{caret}\n"
