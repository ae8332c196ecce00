"""What a reader printed becomes the evidence of a node. Pure."""

from collections.abc import Collection, Iterator

import msgspec

from bridgehead.cluster.reader_pod import HOST_PATHS
from bridgehead.core.findings.redaction import redacted_lines, redacted_text
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.json import JsonObject, JsonValue
from bridgehead.core.model.snapshot import Unread


class Part(msgspec.Struct, frozen=True):
    """One thing that was read; ``code`` is the exit code of reading it, None where it was cut."""

    name: str
    text: str
    code: int | None


class Answer(msgspec.Struct, frozen=True):
    """A ``NodeEvidence`` object, and what of it could not be read."""

    evidence: JsonObject
    unread: tuple[Unread, ...]


def answer_of(
    printed: str, *, node: str, boundary: str, at: float, absent: Collection[str] = ()
) -> Answer:
    """The evidence in what a reader printed; what it did not print was not looked at.

    ``absent`` are volumes whose paths the node does not have: nothing is in them.
    """
    status: dict[str, JsonValue] = {"at": stamp(at)}
    for volume, field in (("device-plugins", "sockets"), ("plugins-registry", "registry")):
        if volume in absent:
            status[field] = []
    cdi: dict[str, JsonValue] = {}
    unread: list[Unread] = []
    lines = printed.split("\n")
    if f"{boundary} done" not in lines:
        unread.append(Unread(f"files of node {node}", "the reader did not come to its end"))
    else:
        status["cdi"] = cdi
    for part in parts(lines, boundary):
        if part.code != 0:
            why = "it was cut off" if part.code is None else part.text.strip()[-200:]
            unread.append(Unread(f"{part.name} of node {node}", why))
            continue
        kind, _, file = part.name.partition(" ")
        if kind == "cdi":
            cdi[_on_the_node(file)] = redacted_text(part.text)
            status["cdi"] = cdi
        elif kind == "checkpoint":
            _checkpoint(part, status, unread, node)
        else:
            _listed(kind, part, status)
    body: JsonObject = {
        "apiVersion": "bridgehead.dev/v1",
        "kind": "NodeEvidence",
        "metadata": {"name": node},
        "status": status,
    }
    return Answer(body, tuple(unread))


def parts(lines: list[str], boundary: str) -> Iterator[Part]:
    """The parts between their marks; each mark stands on a line of its own."""
    name, taken = "", list[str]()
    for line in lines:
        if line.startswith(f"{boundary} begin "):
            name, taken = line.removeprefix(f"{boundary} begin "), []
        elif line.startswith(f"{boundary} end ") and name:
            code = line.removeprefix(f"{boundary} end ")
            yield Part(name, "\n".join(taken), int(code) if code.isdecimal() else None)
            name = ""
        elif name:
            taken.append(line)
    if name:
        yield Part(name, "\n".join(taken), None)


def _listed(kind: str, part: Part, status: dict[str, JsonValue]) -> None:
    lines = [line for line in part.text.split("\n") if line]
    match kind:
        case "sockets" | "registry":
            status[kind] = sorted(lines)
        case "devices":
            status["devices"] = sorted({line for line in lines if "*" not in line})
        case "modules":
            status["modules"] = sorted({line.split()[0] for line in lines})
        case "log":
            status["kubeletLog"] = list(redacted_lines(lines))
        case _:
            return


def _checkpoint(part: Part, status: dict[str, JsonValue], unread: list[Unread], node: str) -> None:
    try:
        status["checkpoint"] = msgspec.json.decode(part.text.encode(), type=dict)
    except msgspec.DecodeError as error:
        unread.append(Unread(f"checkpoint of node {node}", f"it is no JSON: {error}"))


def _on_the_node(file: str) -> str:
    """A file's path on the node, from where the reader saw it."""
    for item in HOST_PATHS:
        if file.startswith(f"{item.mounted}/"):
            return f"{item.path}{file.removeprefix(item.mounted)}"
    return file
