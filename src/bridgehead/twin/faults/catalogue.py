"""Faults that are worth trying on any plan: what device plugins and clusters are known to do.

Every fault of ``testbed/knobs.yaml`` that a twin can show is among them, first as a version that is
bad everywhere, which a canary should catch; the most common of them also on one cohort and on one
node that is no canary, which only a later stage can catch.
"""

from collections.abc import Iterator

import msgspec

from bridgehead.twin.faults.fault import Fault
from bridgehead.twin.faults.text import parse_fault


class Places(msgspec.Struct, frozen=True, kw_only=True):
    """Where a plan can be hurt; a name is empty where it has no such place."""

    canary: str
    """The node that goes first."""
    late: str = ""
    """A node that goes last and is no canary."""
    cohort: str = ""
    """The smallest of several cohorts."""
    kernel: str = ""
    """The rarest of several kernels."""


_EVERYWHERE = (
    "devices=0",
    "fewerDevices=1",
    "allocateTakesDevice=true",
    "unhealthyAfter=0s",
    "unhealthyAfter=2m,unhealthyDevices=1",
    "unhealthyAfter=30s,unhealthyFor=20s,unhealthyRepeats=true",
    "resourceSuffix=-next",
    "resourceSuffix=!",
    'extraResources=["-shared=2"]',
    "registers=never",
    "registers=late,registerDelay=90s",
    "apiVersion=v2",
    "optionsError=no options",
    "endStreamAfter=0s",
    "endStreamAfter=2m",
    "onKubeletRestart=ignore,node.kubeletRestart",
    "onKubeletRestart=exit,node.kubeletRestart",
    "allocateError=no device nodes",
    "allocateHang=true",
    "allocateDelay=20s",
    "preferredError=no preference",
    "preStartError=reset failed",
    "cdiKind=example.com/missing",
    "initFailure=exit,initExitCode=3,initFailureMessage=could not load the driver library",
    "initFailure=block",
    "initFailure=retry",
    "apiCall=listNodes",
    "crashAfter=5s,crashExitCode=137,crashMessage=device monitor stopped unexpectedly",
    "crashAfter=5m",
    "crashAfter=20m",
    "stopDelay=40s",
    'logLines=["E0101 00:00:00.000000 1 main.go:1] failed to initialize NVML"],logLinesAfter=1m',
    "pull",
    "pull.delay=2m",
    "start.delay=45s",
)
_OF_A_COHORT = ("cohort={cohort},devices=0", "cohort={cohort},initFailure=block")
_OF_A_KERNEL = ("kernel.mismatch={kernel}",)
_LATE = (
    "node={late},devices=0",
    "node={late},unhealthyAfter=0s,unhealthyDevices=1",
    "node={late},crashAfter=5s",
    "node={late},pull",
    "node={late},node.lost",
    "node={late},node.drift",
)
_AROUND = (
    "node={canary},node.lost",
    "node={canary},node.drift",
    "node={canary},node.kubeletRestart",
    "node={canary},node.reboot",
    "api.latency=1s",
    "api.error=503@10%",
    "api.error=429@10%",
    "api.away=1m",
    "api.away=10m",
    "api.conflict=50%",
    "watch.break=30s",
    "watch.gone=30s",
)


def catalogue(places: Places) -> Iterator[Fault]:
    """All faults that a plan can have."""
    texts = [
        *_EVERYWHERE,
        *(_OF_A_COHORT if places.cohort else ()),
        *(_OF_A_KERNEL if places.kernel else ()),
        *(_LATE if places.late else ()),
        *_AROUND,
    ]
    names = msgspec.structs.asdict(places)
    for text in texts:
        for place, name in names.items():
            text = text.replace(f"{{{place}}}", name)  # noqa: PLW2901 - filled in step by step
        yield parse_fault(text)
