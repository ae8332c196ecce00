"""Nodes as they were when a run saw them fail, whatever they have become since.

The way back begins in the same moment: pods are on their way out before they are read, or their
successors are there already, and devices come back.
"""

from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.components.resources import owns
from bridgehead.core.findings.log_text import log_from
from bridgehead.core.findings.observed import Log, LogId, Observed
from bridgehead.core.findings.verdicts import RunVerdicts
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import Pod

_CUT = "only the end of it was read"
_LEAVING = ("deletionTimestamp", "deletionGracePeriodSeconds")
"""What the metadata of a pod on its way out has."""


class AsItFailed(msgspec.Struct, frozen=True, kw_only=True):
    """One node in that moment.

    ``pods`` are the component's, of which those on their way out only where there is no other;
    ``users`` are others that the kubelet had refused. ``logs`` are ends of logs by the uid of the
    pod.
    """

    gate: str
    node: Node
    pods: tuple[Pod, ...] = ()
    users: tuple[Pod, ...] = ()
    logs: Mapping[str, str] = {}


def as_they_failed(
    observed: Observed,
    component: str,
    moments: Mapping[str, AsItFailed],
    former_back: Iterable[str],
) -> Observed:
    """What was read, with those nodes as they failed, and with what the run found out by trying.

    ``component`` is ``daemonset/NAMESPACE/NAME``; ``former_back`` as in ``RunVerdicts``. Raw pods
    and logs are taken from what was read where it is of the same pods.
    """
    snapshot = observed.snapshot
    mine = next((item for item in snapshot.components if item.ref == component), None)
    then = [pod for moment in moments.values() for pod in (*moment.pods, *moment.users)]
    known = {pod.uid for pod in then}
    kept = [
        pod
        for pod in snapshot.pods
        if pod.uid not in known
        and not (pod.node in moments and mine is not None and owns(mine, pod))
    ]
    pods = tuple(sorted((*kept, *then), key=lambda item: item.ref))
    nodes = tuple(moments[it.name].node if it.name in moments else it for it in snapshot.nodes)
    return msgspec.structs.replace(
        observed,
        snapshot=msgspec.structs.replace(snapshot, nodes=nodes, pods=pods),
        objects={**observed.objects, "Pod": tuple(_raw(observed, {pod.uid for pod in pods}))},
        logs={**_ends(moments.values()), **_of(observed, pods)},
        verdicts=RunVerdicts(
            component=component,
            failed={name: moment.gate for name, moment in moments.items()},
            former_back=frozenset(former_back),
        ),
    )


def _raw(observed: Observed, uids: set[str]) -> Iterable[JsonObject]:
    """Raw pods of that moment; that they are on their way out by now is left out."""
    for item in observed.of_kind("Pod"):
        if text(item, "metadata", "uid") in uids:
            metadata = item["metadata"]
            assert isinstance(metadata, dict)
            yield {**item, "metadata": {k: v for k, v in metadata.items() if k not in _LEAVING}}


def _of(observed: Observed, pods: Iterable[Pod]) -> Mapping[LogId, Log]:
    names = {(pod.namespace, pod.name) for pod in pods}
    return {key: log for key, log in observed.logs.items() if (key.namespace, key.pod) in names}


def _ends(moments: Iterable[AsItFailed]) -> Mapping[LogId, Log]:
    """What the run itself had read of logs; of pods with one container, whose log it must be."""
    return {
        LogId(pod.namespace, pod.name, pod.containers[0].name): log_from(end, cut=_CUT)
        for moment in moments
        for pod in moment.pods
        for end in [moment.logs.get(pod.uid, "")]
        if end and len(pod.containers) == 1
    }
