"""Lines that a terminal or a CI log only shows: values of files and clusters are quoted in them."""

_COMMAND = "::"


def plain(text: str) -> str:
    """On one line, and without anything that a terminal would obey; as long as before."""
    return "".join(item if item.isprintable() else " " for item in text)


def plain_line(line: str) -> str:
    """The same of a whole line, so that it is also no workflow command to GitHub.

    The runner takes a line for one that has ``::`` first, whatever space there is before. Source:
    ``TryParseV2`` in https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs
    """
    shown = plain(line)
    text = shown.lstrip()
    if not text.startswith(_COMMAND):
        return shown
    return f"{shown[: len(shown) - len(text)]}: :{text[len(_COMMAND) :]}"
