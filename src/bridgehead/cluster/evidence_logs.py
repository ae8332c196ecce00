"""Reads logs of containers, each bounded in bytes, some at a time."""

import asyncio
from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.core.findings.log_text import joined, log_from, refusal_in
from bridgehead.core.findings.observed import Log, LogId
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import (
    ApiError,
    BadRequest,
    Forbidden,
    NotFound,
    Unauthorized,
    UnexpectedAnswer,
)

AT_ONCE = 16
HEAD = 64 * 1024
"""Bytes that are read from the beginning of a log, where a plugin says what it found."""
TAIL_LINES = 1000
TAIL = 192 * 1024
"""Lines and bytes that are read from its end, where it says what happened last."""

PATIENCE = 8.0
"""Seconds for which one log is waited for: of a node that is gone, no answer comes for half a
minute and more."""


class LogsRead(msgspec.Struct, frozen=True):
    """The logs that are there, and what could not be read."""

    logs: dict[LogId, Log]
    unread: tuple[Unread, ...]


async def read_logs(kube: Kube, wanted: Sequence[LogId]) -> LogsRead:
    """Logs in the order that they are asked for; those that do not exist are left out.

    Raises KubeError where the server does not answer or does not accept the credential.
    """
    slots = asyncio.Semaphore(AT_ONCE)

    async def one(key: LogId) -> Log | Unread | None:
        async with slots:
            return await _read(kube, key)

    answers = await asyncio.gather(*map(one, wanted))
    pairs = list(zip(wanted, answers, strict=True))
    logs = {key: answer for key, answer in pairs if isinstance(answer, Log)}
    return LogsRead(logs, _together(answer for _, answer in pairs if isinstance(answer, Unread)))


def _together(unread: Iterable[Unread]) -> tuple[Unread, ...]:
    """One remark for a permission that is missing for many logs."""
    found: dict[tuple[str, str], Unread] = {}
    for item in unread:
        found.setdefault((item.grant, "" if item.grant else item.what), item)
    return tuple(found[key] for key in sorted(found))


async def _read(kube: Kube, key: LogId) -> Log | Unread | None:
    try:
        async with asyncio.timeout(PATIENCE):
            return await _bounded(kube, key)
    except TimeoutError:
        return Unread(f"log {key}", f"its kubelet did not answer within {PATIENCE:.0f} s")
    except Unauthorized:
        raise
    except Forbidden as error:
        where = f" in namespace {key.namespace}"
        return Unread(f"logs{where}", error.message, f"get pods/log{where}")
    except (BadRequest, NotFound):  # not started yet, no previous one, or gone meanwhile
        return None
    except (ApiError, UnexpectedAnswer) as error:  # the node's kubelet does not answer
        told = error.message if isinstance(error, ApiError) else str(error)
        return Unread(f"log {key}", told)


async def _bounded(kube: Kube, key: LogId) -> Log | Unread | None:
    names = (key.namespace, key.pod, key.container)
    text = await kube.logs(*names, previous=key.previous, limit_bytes=HEAD, timestamps=True)
    refusal = refusal_in(text)
    if refusal:  # of a former process it is as if there had been none
        return None if key.previous else Unread(f"log {key}", refusal)
    if len(text.encode()) < HEAD:
        return log_from(text)
    end = await kube.logs(
        *names, previous=key.previous, tail_lines=TAIL_LINES, limit_bytes=TAIL, timestamps=True
    )
    head, tail = text.split("\n")[:-1], end.removesuffix("\n").split("\n")
    whole = joined(head, tail)
    if whole is not None:
        return log_from("\n".join(whole))
    cut = f"what lies between line {len(head)} and the last {len(tail)} lines was not read"
    return log_from("\n".join((*head, *tail)), cut=cut)
