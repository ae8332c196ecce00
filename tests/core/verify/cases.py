"""One node's case, good in every respect, to be spoiled in one."""

from typing import Any

import msgspec

from bridgehead.core.model.device import Offer
from bridgehead.core.model.node import Node
from bridgehead.core.model.pod import REVISION_HASH, Container, Pod
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.track import Track
from bridgehead.core.verify.view import Expected, NodeView

GPU = "vendor.com/gpu"
NOW = 1_700_000_000.0
FULL = Offer(8, 8)

CONTAINER = Container(
    name="plugin",
    image="registry.test/plugin:v2",
    image_id="sha256:v2",
    container_id="containerd://1",
    ready=True,
    state="running",
)
POD = Pod(
    namespace="plugins",
    name="plugin-x",
    uid="new",
    node="n1",
    bound=True,
    labels={REVISION_HASH: "h2"},
    phase="Running",
    admitted=True,
    ready=True,
    created=NOW - 100,
    containers=(CONTAINER,),
)
NODE = Node(name="n1", ready=True, offers={GPU: FULL})
EXPECTED = Expected(
    revision="h2",
    images={"plugin": "registry.test/plugin:v2"},
    offers={GPU: FULL},
    deleted=frozenset({"old"}),
)
TRACK = Track(
    deleted=EXPECTED.deleted,
    since=NOW - 100,
    pod_uid="new",
    gone_at=NOW - 90,
    ready_at=NOW - 80,
    offers=(FULL,),
    offers_since=NOW - 60,
    good=True,
)
VIEW = NodeView(name="n1", node=NODE, pods=(POD,), log="started")
CASE = Case(view=VIEW, expected=EXPECTED, track=TRACK, settle=30.0, now=NOW)


def with_pod(case: Case = CASE, **fields: Any) -> Case:
    """The case with its pod changed."""
    return with_view(case, pods=(msgspec.structs.replace(POD, **fields),))


def with_container(case: Case = CASE, **fields: Any) -> Case:
    """The case with its container changed."""
    return with_pod(case, containers=(msgspec.structs.replace(CONTAINER, **fields),))


def with_view(case: Case = CASE, **fields: Any) -> Case:
    """The case with its view changed."""
    return msgspec.structs.replace(case, view=msgspec.structs.replace(case.view, **fields))


def with_offer(offer: Offer | None, case: Case = CASE, **others: Offer) -> Case:
    """The case with another offer of the resource; ``others`` are further resources."""
    offers = {GPU: offer} if offer is not None else {}
    more = {name.replace("_", "/"): value for name, value in others.items()}
    return with_view(case, node=msgspec.structs.replace(NODE, offers={**offers, **more}))


def with_expected(case: Case = CASE, **fields: Any) -> Case:
    """The case with other expectations."""
    return msgspec.structs.replace(case, expected=msgspec.structs.replace(case.expected, **fields))


def with_track(case: Case = CASE, **fields: Any) -> Case:
    """The case with another memory."""
    return msgspec.structs.replace(case, track=msgspec.structs.replace(case.track, **fields))
