"""How a node's verdict is written down: every gate's answer, and the pod that passed them."""

from collections.abc import Iterable

import msgspec

from bridgehead.core.journal.entry import Draft
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.pod import Pod
from bridgehead.core.rollout.commands import Purpose
from bridgehead.core.rollout.decision import note
from bridgehead.core.verify.result import GateResult
from bridgehead.core.verify.soak import Verified


def gates_note(node: str, results: Iterable[GateResult]) -> Draft:
    """All answers of a node that passed, so that a reader sees on what that rests."""
    detail: JsonObject = {
        item.gate.value: {
            "verdict": item.verdict.value,
            "seen": item.seen,
            **({"reason": item.reason} if item.reason else {}),
        }
        for item in results
    }
    return note("gates", "good", node=node, detail=detail)


def verified_note(node: str, pod: Pod, purpose: Purpose, arch: str) -> Draft:
    """The node passed, with this pod."""
    every = (*pod.init_containers, *pod.containers)
    verified = Verified(
        pod=pod.uid,
        restarts=pod.restarts,
        image_ids={item.name: item.image_id for item in every if item.image_id},
    )
    detail: JsonObject = {
        "purpose": purpose.value,
        "pod": pod.name,
        "revision": pod.revision,
        "arch": arch,
        "verified": msgspec.to_builtins(verified),
    }
    return note("node", "verified", node=node, detail=detail)
