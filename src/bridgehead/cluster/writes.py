"""Everything that bridgehead writes to a cluster, as one table.

The reference page is made from it, and a test compares it with the API server's audit log: a write
that is not listed here does not happen.
"""

import msgspec

from bridgehead.core.model.component import FORMER_REVISION, FORMER_STRATEGY, RUN
from bridgehead.core.model.node import HELD_BY, KEEP_CORDONED, SCHEDULABLE_BEFORE


class Write(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of write. ``verb`` as RBAC and the audit log name it."""

    verb: str
    resource: str
    """Plural with its group, as ``kubectl`` writes it."""
    namespace: str
    """``component``, ``state``, ``any``, or empty for resources outside namespaces."""
    fields: str
    when: str
    subresource: str = ""
    stored: bool = True
    """False for dry-runs and reviews, which leave nothing behind."""
    by: str = "run"
    """``run`` for what a rollout and its way back write, else the command that alone writes it."""


WRITES = (
    Write(
        verb="patch",
        resource="daemonsets.apps",
        namespace="component",
        fields=f"annotation `{RUN}`",
        when="a run begins, or another runner takes it over",
    ),
    Write(
        verb="patch",
        resource="daemonsets.apps",
        namespace="component",
        fields=f"`spec.updateStrategy`, annotations `{FORMER_REVISION}` and `{FORMER_STRATEGY}`",
        when="before the first change of the template; at the end the strategy goes back and the "
        "annotations go",
    ),
    Write(
        verb="patch",
        resource="daemonsets.apps",
        namespace="component",
        fields="`spec.template`",
        when="the target goes in before the nodes of a stage are changed, and the former one comes "
        "back after; after the last stage the target stays",
    ),
    Write(
        verb="patch",
        resource="daemonsets.apps",
        namespace="component",
        fields=f"annotations `{RUN}`, `{FORMER_REVISION}` and `{FORMER_STRATEGY}` are removed",
        when="a run ends with exit 0, 1 or 3, or `release` gives the component back",
    ),
    Write(
        verb="patch",
        resource="daemonsets.apps",
        namespace="component",
        fields="`spec.template`, as a dry-run",
        when="a plan asks what would be stored",
        stored=False,
    ),
    Write(
        verb="patch",
        resource="nodes",
        namespace="",
        fields=f"`spec.unschedulable`, annotations `{HELD_BY}` and `{SCHEDULABLE_BEFORE}`",
        when="before the plugin pod of a node is deleted, and after the node has passed; "
        "`recover` keeps a node cordoned (R4) until `release`; "
        f"a node with the annotation `{KEEP_CORDONED}` stays cordoned",
    ),
    Write(
        verb="delete",
        resource="pods",
        namespace="component",
        fields="the component's pod on a node, by uid",
        when="a node takes on a version, is restarted for a test, or is taken back; "
        "`recover` restarts it (R1)",
    ),
    Write(
        verb="delete",
        resource="pods",
        namespace="any",
        fields="a pod that a kubelet refused and a controller owns, by uid",
        when="`recover` prunes the refused pods of a node (R3)",
        by="recover",
    ),
    Write(
        verb="delete",
        resource="pods",
        namespace="any",
        fields="the first of the pods that `recover` would delete, by uid, as a dry-run",
        when="`recover` explains R1 or R3",
        stored=False,
        by="recover",
    ),
    Write(
        verb="patch",
        resource="nodes",
        subresource="status",
        namespace="",
        fields="one name is removed from `status.capacity` and `status.allocatable`, where both "
        "are 0",
        when="`recover` removes a dead resource name (R5)",
        by="recover",
    ),
    Write(
        verb="patch",
        resource="nodes",
        subresource="status",
        namespace="",
        fields="the same, as a dry-run",
        when="`recover` explains R5",
        stored=False,
        by="recover",
    ),
    Write(
        verb="create",
        resource="pods",
        namespace="state",
        fields="the reader of a node's files, with the label `bridgehead.dev/role: reader`",
        when="`diagnose --node` is given `--reader-image`, or a spec with `allow.reader`",
        by="diagnose",
    ),
    Write(
        verb="delete",
        resource="pods",
        namespace="state",
        fields="a reader, by uid",
        when="it has read, at every ending; one that was left behind, when the next one starts",
        by="diagnose",
    ),
    Write(
        verb="create",
        resource="pods",
        subresource="eviction",
        namespace="any",
        fields="the eviction of a pod that holds devices, by uid",
        when="with `workloads: evict`, before the plugin pod of its node is deleted",
    ),
    Write(
        verb="create",
        resource="pods",
        namespace="component",
        fields="a pod of our own with the labels `bridgehead.dev/run` and `bridgehead.dev/role`",
        when="a canary pulls the target's images; a node that passed is asked for one device",
    ),
    Write(
        verb="create",
        resource="pods",
        namespace="component",
        fields="a pod of the target's template, as a dry-run",
        when="a plan asks whether quota, Pod Security and webhooks would take it",
        stored=False,
    ),
    Write(
        verb="create",
        resource="pods",
        namespace="component",
        fields="a pod of a plugin's template, as a dry-run",
        when="`diagnose` asks about a plugin that lacks pods while no event says why",
        stored=False,
        by="diagnose",
    ),
    Write(
        verb="create",
        resource="pods",
        namespace="component",
        fields="a pod of the template of a plugin among the manifests, as a dry-run",
        when="`lint` is given a cluster in which the plugin's namespace exists",
        stored=False,
        by="lint",
    ),
    Write(
        verb="delete",
        resource="pods",
        namespace="component",
        fields="a pod of our own, by uid",
        when="it has served, and at every ending",
    ),
    Write(
        verb="create",
        resource="configmaps",
        namespace="state",
        fields="the record of a run, and the segments of its journal; the same for the recoveries "
        "of a component",
        when="a run begins, or the first recovery; a journal needs a new segment",
    ),
    Write(
        verb="patch",
        resource="configmaps",
        namespace="state",
        fields="`data` of the journal's last segment; `immutable` when it is full",
        when="before and after every effect, and for every finding; a run that is over and does "
        "not say so gets its ending when the next one begins, or by `release`",
    ),
    Write(
        verb="patch",
        resource="configmaps",
        namespace="state",
        fields="`data.control` of a run's record: one more line",
        when="somebody asks it to pause, to go on or to abort, or approves",
    ),
    Write(
        verb="create",
        resource="leases.coordination.k8s.io",
        namespace="state",
        fields="the component's lock",
        when="the first run of a component begins",
    ),
    Write(
        verb="patch",
        resource="leases.coordination.k8s.io",
        namespace="state",
        fields="`spec.holderIdentity`, `spec.renewTime` and what belongs to them",
        when="a runner takes the lock, every third of its duration, and when it gives it back",
    ),
    Write(
        verb="create",
        resource="namespaces",
        namespace="",
        fields="the state namespace",
        when="it does not exist",
    ),
    Write(
        verb="create",
        resource="selfsubjectaccessreviews.authorization.k8s.io",
        namespace="",
        fields="a question",
        when="a rollout asks which of its permissions are missing",
        stored=False,
    ),
    Write(
        verb="create",
        resource="subjectaccessreviews.authorization.k8s.io",
        namespace="",
        fields="a question",
        when="`lint` asks what the account of a plugin may do that is a client of the API server",
        stored=False,
        by="lint",
    ),
    Write(
        verb="create",
        resource="subjectaccessreviews.authorization.k8s.io",
        namespace="",
        fields="a question",
        when="`diagnose` asks the same about such a plugin with a symptom",
        stored=False,
        by="diagnose",
    ),
    Write(
        verb="create",
        resource="selfsubjectreviews.authentication.k8s.io",
        namespace="",
        fields="a question",
        when="a run, or who asks something of it, asks under which name it is known",
        stored=False,
    ),
)

_INTRODUCTION = """# What bridgehead writes to a cluster

Generated by `python -m bridgehead.cluster`; do not edit. Nothing else is ever written. Every write
names the field manager `bridgehead`, and every change of an existing object names the state that it
expects: a uid, a resourceVersion, or the values of the fields that it changes.

`component` is the namespace of the component, `state` that of `--state-namespace` (`bridgehead`
unless told otherwise), `any` that of the object.

"""


def writes_page() -> str:
    """The reference page in Markdown."""
    stored = [item for item in WRITES if item.stored]
    asked = [item for item in WRITES if not item.stored]
    return (
        f"{_INTRODUCTION}{_table(stored)}\n"
        "## Questions that are written as objects\n\n"
        "The API server answers them and stores nothing. They need the same permissions as the "
        f"writes above, and show up in its audit log.\n\n{_table(asked)}"
    )


def _table(writes: list[Write]) -> str:
    rows = [
        f"| {item.verb} | {_resource(item)} | {item.namespace or '-'} | {item.fields} "
        f"| {item.when} |"
        for item in writes
    ]
    head = ["| verb | resource | namespace | what | when |", "|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"


def _resource(item: Write) -> str:
    return f"{item.resource}/{item.subresource}" if item.subresource else item.resource
