"""Requests to a run, appended to the key ``control`` of its record by whoever may write there.

No lock is needed: each writer names the resourceVersion that it has read, and reads again where
somebody else was faster, so no request is lost and none replaces another.
"""

from bridgehead.cluster.errors import NoSuchRunError
from bridgehead.core.rollout.control import (
    Abort,
    Request,
    UnreadableRequestError,
    appended,
    readable,
    requests,
)
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import Conflict, NotFound
from bridgehead.kube.resources import CONFIG_MAPS


async def ask(kube: Kube, namespace: str, run: str, request: Request) -> int:
    """Append a request to a run; its number, from 1.

    Raises NoSuchRunError, KubeError, and UnreadableRequestError where a line that is there already
    is none of ours, as nobody goes on past it: then nothing is filed. Only an abort is, as the way
    back needs nothing of what was asked before.
    """
    sent = ""
    while True:
        try:
            found = await kube.get(CONFIG_MAPS, run, namespace)
        except NotFound:
            raise NoSuchRunError(f"there is no run {run} in namespace {namespace}") from None
        control = found.data.get("control", "")
        if not isinstance(request, Abort):
            _must_read(control, run, namespace)
        number = len(readable(control)) + 1
        if sent and control.startswith(sent):
            return len(readable(sent))
        sent = ""
        wanted = appended(control, request)
        body = {
            "metadata": {"resourceVersion": found.metadata.resource_version},
            "data": {"control": wanted},
        }
        try:
            await kube.patch_merge(CONFIG_MAPS, run, body, namespace=namespace)
        except Conflict as error:
            # The answer to our first sending may be lost: the request may be there already.
            sent = wanted if error.repeated else ""
        except NotFound:
            raise NoSuchRunError(f"run {run} was deleted from namespace {namespace}") from None
        else:
            return number


def _must_read(control: str, run: str, namespace: str) -> None:
    """Raises UnreadableRequestError, which names the record."""
    try:
        requests(control)
    except UnreadableRequestError as error:
        raise UnreadableRequestError(
            error.number, error.why, run=run, namespace=namespace
        ) from error
