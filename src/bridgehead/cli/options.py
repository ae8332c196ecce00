"""Options that commands share: where the state comes from, and how the result is written."""

import functools
import shlex
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.durations import DurationError, duration_text, parse_duration

F = TypeVar("F", bound=Callable[..., Any])

_TIMEOUT = "30s"


class ClusterOptions(msgspec.Struct, frozen=True):
    """Which cluster, with kubectl's meaning; ``request_timeout`` is seconds, None without bound."""

    kubeconfig: Path | None
    context: str | None
    namespace: str | None
    request_timeout: float | None

    @property
    def namespaces(self) -> tuple[str, ...] | None:
        """The namespaces that were asked for; None for all."""
        return (self.namespace,) if self.namespace else None

    @property
    def as_arguments(self) -> str:
        """The options as typed, to repeat them in a command that is proposed next."""
        named = {
            "--kubeconfig": self.kubeconfig,
            "--context": self.context,
            "--namespace": self.namespace,
            "--request-timeout": _other_timeout(self.request_timeout),
        }
        return "".join(
            f" {option} {shlex.quote(str(value))}" for option, value in named.items() if value
        )


class StateOptions(msgspec.Struct, frozen=True):
    """A cluster, or a recording with the time that counts as now (None: the recording says)."""

    cluster: ClusterOptions
    recording: Path | None
    at: float | None

    @property
    def as_arguments(self) -> str:
        """The options as typed, to repeat them in a command that is proposed next."""
        if self.recording is None:
            return self.cluster.as_arguments
        at = f" --at {stamp(self.at)}" if self.at is not None else ""
        return f" --from {shlex.quote(str(self.recording))}{at}"


def _other_timeout(seconds: float | None) -> str:
    """The timeout as typed; empty for the one that counts without the option."""
    written = "0" if seconds is None else duration_text(seconds)
    return "" if written == _TIMEOUT else written


def _seconds(_context: click.Context, _option: click.Parameter, value: str) -> float | None:
    """kubectl's form: a duration, or 0 for no bound."""
    try:
        return None if value == "0" else parse_duration(value) or None
    except DurationError as error:
        raise click.BadParameter(str(error)) from error


def _time(_context: click.Context, _option: click.Parameter, value: str | None) -> float | None:
    if value is None:
        return None
    try:
        time = datetime.fromisoformat(value)
    except ValueError as error:
        raise click.BadParameter("write a time like 2026-01-31T12:00:00Z") from error
    if time.tzinfo is None:
        raise click.BadParameter(f"{value} has no time zone: write it like 2026-01-31T12:00:00Z")
    return time.timestamp()


_CLUSTER = (
    click.option(
        "--kubeconfig",
        type=click.Path(path_type=Path),
        help="Kubeconfig file (default: $KUBECONFIG, ~/.kube/config, the pod's account).",
    ),
    click.option("--context", help="Context of the kubeconfig (default: the current one)."),
    click.option(
        "--request-timeout",
        default=_TIMEOUT,
        show_default=True,
        callback=_seconds,
        help="Longest wait for one answer of the server; 0 for no limit.",
    ),
)
namespace_option = click.option(
    "--namespace", "-n", help="DaemonSets of this namespace only (default: all)."
)
"""For commands that show what is there; those about a component name its namespace in it."""

_RECORDING = (
    click.option(
        "--from",
        "recording",
        type=click.Path(exists=True, path_type=Path),
        help="Recorded state instead of a cluster: an inventory file or a folder of YAML.",
    ),
    click.option(
        "--at", callback=_time, help="The time that counts as now in a recording (RFC 3339)."
    ),
)


def cluster_options(command: F) -> F:
    """Options that name a cluster; the command gets them as ``cluster``."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        return command(*args, cluster=_cluster(kwargs), **kwargs)

    return _with(wrapped, _CLUSTER)  # type: ignore[return-value]


def state_options(command: F) -> F:
    """Options that name a cluster or a recording; the command gets them as ``state``."""

    @functools.wraps(command)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        recording, at = kwargs.pop("recording"), kwargs.pop("at")
        state = StateOptions(_cluster(kwargs), recording, at)
        if at is not None and recording is None:
            raise click.UsageError("--at goes with --from: the time of a live cluster is now")
        return command(*args, state=state, **kwargs)

    return _with(wrapped, (*_CLUSTER, *_RECORDING))  # type: ignore[return-value]


def output_option(*formats: str) -> Callable[[F], F]:
    """``-o``: the first format is the default; the command gets it as ``output``."""
    return click.option(
        "--output",
        "-o",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Form of the result.",
    )


def _cluster(kwargs: dict[str, Any]) -> ClusterOptions:
    return ClusterOptions(
        namespace=kwargs.pop("namespace", None),
        **{name: kwargs.pop(name) for name in ("kubeconfig", "context", "request_timeout")},
    )


def _with(
    command: Callable[..., Any], options: tuple[Callable[[Any], Any], ...]
) -> Callable[..., Any]:
    for option in reversed(options):
        command = option(command)
    return command
