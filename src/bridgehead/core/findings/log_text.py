"""The text of a log becomes its lines: time stamps taken off, secrets out."""

import re
from collections.abc import Sequence

from bridgehead.core.findings.observed import Log
from bridgehead.core.findings.redaction import redacted_lines
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.times import epoch

# The kubelet's own form, always with nine digits (RFC3339NanoFixed of k8s.io/kubernetes/pkg/kubelet
# /types, Kubernetes 1.37): a program's own time stamps have hardly ever so many.
_STAMP = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.(\d{9})(Z|[+-]\d\d:\d\d) ?")

# pkg/kubelet/kuberuntime/kuberuntime_container.go of Kubernetes 1.37 writes this into the answer,
# with status 200, where the runtime does not know the container any more.
_REFUSED = re.compile(r"unable to retrieve container logs for \S+")


def refusal_in(text: str) -> str:
    """The kubelet's words that it has no such log, where they stand in its place; else empty."""
    said = text.strip()
    return said if _REFUSED.fullmatch(said) else ""


def log_from(
    text: str, *, cut: str = "", note: str = "", gap: tuple[int, int] | None = None
) -> Log:
    """A log; the stamps that ``kubectl logs --timestamps`` puts before all lines become times."""
    written = text.split("\n")
    if written and not written[-1]:
        written.pop()
    written = [line.removesuffix("\r") for line in written]
    stamps = [_STAMP.match(line) for line in written]
    times: list[float] = []
    lines = written
    if written and all(stamps):
        lines = [line[found.end() :] for line, found in zip(written, stamps, strict=True) if found]
        times = [
            round((epoch(found[1] + found[3]) or 0.0) + int(found[2]) / 1e9, 3)
            for found in stamps
            if found
        ]
    return Log(redacted_lines(lines), cut=cut, times=tuple(times), note=note, gap=gap)


def joined(head: Sequence[str], tail: Sequence[str]) -> tuple[str, ...] | None:
    """Two parts of one log as one, where the second begins before the first ends; else None.

    With the kubelet's stamps hardly two lines are equal, so that an overlap is one.
    """
    if not tail:
        return tuple(head)
    for start, line in enumerate(head):
        if line == tail[0] and list(head[start:]) == list(tail[: len(head) - start]):
            return (*head[:start], *tail)
    return None


def written(log: Log) -> str:
    """The log as text again, with its stamps; ``log_from`` reads it back."""
    stamps = [f"{stamp(time).removesuffix('Z')}000000Z " for time in log.times]
    lines = log.lines if not stamps else [a + b for a, b in zip(stamps, log.lines, strict=True)]
    return "".join(f"{line}\n" for line in lines)
