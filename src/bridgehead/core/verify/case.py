"""What a gate is given: one node as it is, as it should be, and as it has been."""

import msgspec

from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.pod import Pod
from bridgehead.core.verify.evidence import proof
from bridgehead.core.verify.result import GateId, Question
from bridgehead.core.verify.track import Track, missing
from bridgehead.core.verify.view import Expected, NodeView


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """The case of one node at one time."""

    view: NodeView
    expected: Expected
    track: Track
    settle: float
    now: float

    @property
    def pod(self) -> Pod | None:
        """The component's pod that came after the deleted ones."""
        return self.view.successor(self.expected.deleted)

    @property
    def missing(self) -> tuple[str, ...]:
        """Resources of which the node offers less than expected."""
        return missing(self.view, self.expected)

    @property
    def restarts(self) -> int:
        """Restarts of the pod within this pass: all of a successor's, else those seen happening."""
        pod = self.pod
        if pod is None or self.expected.deleted:
            return pod.restarts if pod else 0
        seen = self.track.pod_uid == pod.uid
        return pod.restarts - self.track.restarts_before if seen else 0

    @property
    def blind(self) -> str:
        """Why nothing can be seen of the node; empty where it can."""
        node = self.view.node
        if node is None:
            return "the node is gone"
        return "" if node.ready is True else "the node is not Ready, so what is known of it is old"

    @property
    def proof(self) -> tuple[Evidence, ...]:
        """The log line or event that best explains what is wrong."""
        return proof(self.view, self.expected)

    def question(self, gate: GateId, expected: str) -> Question:
        """The question that ``gate`` asks of this node."""
        return Question(gate, self.view.name, expected, self.now)
