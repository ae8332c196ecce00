"""Which rungs help against which cause; where a case is stricter than its rung, the case wins.

The names are those of diagnosis rules. A cause that is not listed asks for a change of manifests,
of a node or of hardware, and the diagnosis says which; its own advice to wait, to prune or to
cordon is taken, its advice to restart only where a person names that rung.
"""

import msgspec

from bridgehead.core.recover.rung import Rung


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """How recovery answers one cause.

    ``rungs`` are tried in their order. ``idle`` makes R1 wait until no pod on the node holds the
    resource. ``within`` is how many seconds the devices have to come back after R1. ``a_day``
    counts R1 by the day and not by the hour. ``application_only`` lets R1 pass only for errors that
    an application makes. ``first`` is what has to be done by hand before. ``never`` says why R1 is
    refused altogether.
    """

    rungs: tuple[Rung, ...]
    idle: bool = False
    within: float = 120.0
    a_day: bool = False
    application_only: bool = False
    first: str = ""
    never: str = ""


_R1, _R2, _R3, _R4 = Rung.RESTART, Rung.ROLL_BACK, Rung.PRUNE, Rung.CORDON
_BACK = Fit(rungs=(_R2,))
_CORDON = Fit(rungs=(_R4,))

HANGS = (
    "a plugin that hangs in Allocate holds up every change of pods on its node, the end of its own "
    "pod too: only the end of its process on the node helps, or a restart of the kubelet (both "
    "seen with Kubernetes 1.37.2)"
)
SHRINKS = "a plugin that restarts while its devices are held finds only the free ones"

LADDER: dict[str, Fit] = {
    # R0: it passes by itself.
    "race-at-kubelet-start": Fit(rungs=(Rung.WAIT,)),
    "verified-too-early": Fit(rungs=(Rung.WAIT,)),
    # R1: the plugin holds a wrong idea that a new process does not have.
    "devices-came-later": Fit(rungs=(_R1,), idle=True),
    "stream-ended": Fit(rungs=(_R1,), within=60.0),
    "kubelet-restart-missed": Fit(rungs=(_R1,)),
    "health-watch-lost": Fit(rungs=(_R1,)),
    "card-was-reset": Fit(rungs=(_R1,)),
    "device-removed-under-plugin": Fit(
        rungs=(Rung.DRAIN, _R1), idle=True, first="drain the node: pods hold devices that are gone"
    ),
    "xid-reported": Fit(rungs=(_R1, _R4), a_day=True, application_only=True),
    "allocate-hangs": Fit(rungs=(Rung.KUBELET_RESTART, _R4), never=HANGS),
    # R2: the version is at fault, and the former one is not.
    "image-not-pulled": _BACK,
    "image-for-another-architecture": _BACK,
    "plugin-out-of-memory": _BACK,
    "selinux-denies-plugin": _BACK,
    "apparmor-denies-sysfs": _BACK,
    "mig-not-permitted": _BACK,
    "runtime-handler-missing": _BACK,
    "arguments-for-another-version": _BACK,
    "kubelet-directory-elsewhere": _BACK,
    "plugin-api-versions-differ": _BACK,
    "pod-security-refuses": _BACK,
    "plugin-not-root": _BACK,
    # R3: what is left of a fault that is over, or that a cordon ends.
    "plugin-later-than-pods": Fit(rungs=(_R3,)),
    "lost-gpu-refuses-pods": Fit(rungs=(_R4, _R3)),
    # R4: the node cannot serve, and a restart or a rollback would not change that.
    "driver-library-mismatch": _CORDON,
    "registration-server-dead": Fit(rungs=(_R4, Rung.KUBELET_RESTART)),
    "stale-allocation-record": Fit(rungs=(_R4, _R3, Rung.DRAIN, Rung.KUBELET_RESTART)),
    # R5: a name that nobody offers any more.
    "dead-resource-name": Fit(rungs=(Rung.DEAD_NAME,)),
    # No rung of ours, and a restart would do harm.
    "devices-in-use-lost": Fit(rungs=(), idle=True, first="wait until the resource is idle there"),
    "two-claimants": Fit(rungs=(), never="it would only change which of the claimants wins"),
    "kubelet-restart-refused-pods": Fit(rungs=()),
    "driver-in-use": Fit(rungs=(), never="the driver below has to be changed first"),
}


def fit_of(rule: str) -> Fit:
    """How recovery answers a cause; no rung where it is not on the ladder."""
    return LADDER.get(rule, Fit(rungs=()))
