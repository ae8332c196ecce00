"""Errors as endings: exit code, what happened, and what to do next."""

import os
import shlex
import sys
import tempfile
import traceback

import msgspec

from bridgehead.app.loop import OutOfSightError
from bridgehead.app.recorded import NoTimeError
from bridgehead.cli.exits import Exit
from bridgehead.cli.say import next_step, say
from bridgehead.cli.typed import repeated
from bridgehead.cluster.errors import (
    BrokenJournalError,
    ClaimedError,
    ClusterError,
    HeldError,
    LostJournalError,
    LostLockError,
    NoSuchRunError,
    RemovedJournalError,
    RunExistsError,
)
from bridgehead.core.rollout.control import UnreadableRequestError
from bridgehead.core.rollout.transition import UnknownRecordError
from bridgehead.kube import errors
from bridgehead.sources.inventory_file import InventoryFileError


class Failure(msgspec.Struct, frozen=True):
    """An ending that is no result; ``remedy`` says what to do next."""

    exit: Exit
    message: str
    remedy: str


def tell(error: Exception) -> Exit:
    """Tell the error on stderr; the exit code. An unexpected error leaves a log file."""
    cause = _single(error)
    failure = failure_of(cause) or _unexpected(cause)
    say(f"error: {failure.message}")
    for remark in getattr(cause, "__notes__", ()):
        say(remark)
    next_step(failure.remedy)
    return failure.exit


def failure_of(error: Exception) -> Failure | None:
    """The ending for an error that can be expected; None for a defect."""
    match error:
        case errors.Forbidden():
            return Failure(Exit.CANNOT, str(error), grant_of(error))
        case errors.Unauthorized():
            return Failure(
                Exit.CANNOT,
                f"the server does not accept the credential: {error}",
                f"log in again; 'kubectl auth whoami{_same_cluster()}' must answer",
            )
        case errors.Unreachable():
            return Failure(Exit.CANNOT, str(error), f"kubectl cluster-info{_same_cluster()}")
        case errors.NoKubeconfig():
            remedy = "check the path in --kubeconfig or $KUBECONFIG; then the same command"
            return Failure(Exit.CANNOT, str(error), remedy)
        case errors.NoSuchContext():
            kubeconfig = repeated(sys.argv[1:], ("--kubeconfig",))
            remedy = f"kubectl config get-contexts{kubeconfig}; then --context with one of them"
            return Failure(Exit.CANNOT, str(error), remedy)
        case errors.ConfigError() | errors.CredentialError():
            remedy = f"kubectl config view --minify{_same_cluster()}"
            return Failure(Exit.CANNOT, str(error), remedy)
        case OutOfSightError():
            remedy = f"kubectl cluster-info{_same_cluster()}; then the same command"
            return Failure(Exit.CANNOT, str(error), remedy)
        case errors.KubeError():
            remedy = f"the same command again; kubectl get --raw /readyz{_same_cluster()}"
            return Failure(Exit.CANNOT, str(error), remedy)
        case ClusterError() | UnknownRecordError() | UnreadableRequestError():
            return _of_a_run(error)
        case InventoryFileError():
            return Failure(Exit.USAGE, str(error), "bridgehead inventory --save FILE")
        case NoTimeError():
            return Failure(
                Exit.USAGE,
                str(error),
                "bridgehead inventory --from PATH --at TIME --save FILE, then FILE in its place",
            )
        case _:
            return None


def _of_a_run(error: Exception) -> Failure:
    """Endings about runs: another one, none, or one that cannot be read."""
    match error:
        case HeldError(component=ref) | ClaimedError(component=ref):
            remedy = f"bridgehead status {ref}{repeated(sys.argv[1:])}"  # finds its own namespace
            return Failure(Exit.LOCKED, str(error), remedy)
        case LostLockError() | LostJournalError():
            return Failure(Exit.LOCKED, str(error), f"bridgehead status{repeated(sys.argv[1:])}")
        case NoSuchRunError() | RunExistsError():
            return Failure(Exit.FINDINGS, str(error), f"bridgehead status{repeated(sys.argv[1:])}")
        case RemovedJournalError():
            return Failure(Exit.NEEDS_A_PERSON, str(error), "bridgehead release COMPONENT")
        case UnreadableRequestError():
            remedy = _unread(error)
            return Failure(Exit.NEEDS_A_PERSON, str(error), remedy)
        case BrokenJournalError():
            remedy = "compare with the API server's audit log: somebody has changed the journal"
            return Failure(Exit.FINDINGS, str(error), remedy)
        case _:
            remedy = "the version of bridgehead that began the run"
            return Failure(Exit.NEEDS_A_PERSON, str(error), remedy)


def _unread(error: UnreadableRequestError) -> str:
    """Nothing was filed: the line is taken out first; or all is taken back, which needs none."""
    if not error.run:
        return f"bridgehead status{repeated(sys.argv[1:])}"
    edit = f"kubectl edit configmap {error.run} -n {error.namespace}"
    back = f"bridgehead rollback {error.run}{repeated(sys.argv[1:])}"
    return f"{edit} (take line {error.number} out of control), then the same command; or {back}"


def grant_of(error: errors.Forbidden) -> str:
    """Which permission is missing, for whom, and the command that shows it."""
    resource = f"{error.resource}.{error.group}" if error.group else error.resource
    what = f"{error.verb} {resource}" if error.verb and resource else str(error.request)
    whom = f" to {error.user}" if error.user else ""
    where = f" -n {error.namespace}" if error.namespace else " --all-namespaces"
    asks = f"kubectl auth can-i {what}{where}{_same_cluster()}"
    other = f" (whoever grants it asks with --as {shlex.quote(error.user)})" if error.user else ""
    return f"grant '{what}'{whom}; '{asks}' must say yes{other}"


def _same_cluster() -> str:
    """The options that were given, for kubectl: without them it asks as another user, elsewhere."""
    return repeated(sys.argv[1:], ("--kubeconfig", "--context"))


def _single(error: Exception) -> Exception:
    """The error inside a group of one: task groups wrap whatever their tasks raise."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _unexpected(error: Exception) -> Failure:
    """A defect of ours: the traceback goes to a file that only its owner can read."""
    handle, path = tempfile.mkstemp(prefix="bridgehead-", suffix=".log")
    with os.fdopen(handle, "w", encoding="utf-8") as log:
        log.write(f"{sys.argv}\n")
        traceback.print_exception(error, file=log)
    message = f"unexpected {type(error).__name__}: {error}"
    return Failure(Exit.NEEDS_A_PERSON, message, f"report this defect with the file {path}")
