"""When the plan says no. Every check answers alone, so that all reasons are told at once."""

from collections.abc import Iterator, Sequence

from bridgehead.core.findings.standing import few
from bridgehead.core.inventory.cohort import cohort_of, cohorts_of
from bridgehead.core.model.component import Component, template_digest
from bridgehead.core.model.json import texts
from bridgehead.core.model.snapshot import Snapshot, Unread
from bridgehead.core.plan.placement import placement_refusals, selector_refusals
from bridgehead.core.plan.plan import Refusal
from bridgehead.core.plan.settings import ComponentRef, ImagesChange, RolloutSpec
from bridgehead.core.plan.subject import Subject, find_component

SAFE_STATUS_PERIOD = 10.0
"""The kubelet's own period unless its configuration says otherwise (nodeStatusUpdateFrequency)."""
UNREAD = "daemonsets-unread"
"""The rule of a refusal that is none: nothing speaks against the change, too little is known."""
_SEEN_ONLY = {
    UNREAD: ("daemonsets",),
    "no-node": ("nodes",),
    "no-usable-node": ("nodes", "pods"),
    "too-many-set-aside": ("nodes", "pods"),
    "cohort-without-canary": ("nodes", "pods"),
    "revision-unknown": ("controllerrevisions",),
    "mixed-revisions": ("controllerrevisions",),
    "resources-unknown": ("nodes", "pods"),
    "placement-keeps-no-node": ("nodes",),
}
"""What a reason needs to have seen all of: what was not read looks like what is not there."""
_ELSEWHERE = "pods of other namespaces"


def well_founded(found: tuple[Refusal, ...], snapshot: Snapshot) -> tuple[Refusal, ...]:
    """The refusals that stand whatever it is that could not be read."""
    return tuple(
        item
        for item in found
        if not any(_unread(snapshot, kind) for kind in _SEEN_ONLY.get(item.rule, ()))
    )


def _unread(snapshot: Snapshot, kind: str) -> Unread | None:
    """What of a kind could not be read; the component's own pods are never elsewhere."""
    missing = (item for item in snapshot.unread if item.what != _ELSEWHERE)
    return next((item for item in missing if item.what.startswith(kind)), None)


def no_subject(spec: RolloutSpec, snapshot: Snapshot) -> tuple[Refusal, ...]:
    """Reasons why there is nothing to plan for.

    Where the DaemonSets could not be read, whether there is one of that name is not known, and the
    reason says that.
    """
    ref = str(spec.component)
    wanted = spec.component
    if wanted.namespace in snapshot.namespaces_terminating:
        return (
            Refusal(
                "namespace-terminating",
                f"namespace {wanted.namespace} is being deleted",
                "wait until it is gone, or name another component",
                ref,
            ),
        )
    component = find_component(spec, snapshot)
    if component is None:
        return (_no_component(spec, snapshot),)
    named = spec.change.by_container() if isinstance(spec.change, ImagesChange) else {}
    missing = [name for name in named if name not in component.images]
    return tuple(
        Refusal(
            "container-missing",
            f"{ref} has no container {name}",
            f"it has: {', '.join(sorted(component.images))}",
            ref,
        )
        for name in missing
    )


def _no_component(spec: RolloutSpec, snapshot: Snapshot) -> Refusal:
    ref, wanted = str(spec.component), spec.component
    if (unread := _unread(snapshot, "daemonsets")) is not None:
        return Refusal(
            UNREAD,
            f"whether there is {ref} is not known: {unread.what} could not be read ({unread.why})",
            f"grant: {unread.grant}" if unread.grant else "record them as well",
            ref,
        )
    return component_missing(wanted, snapshot.components)


def component_missing(wanted: ComponentRef, components: Sequence[Component]) -> Refusal:
    """There is no such component, and which of those that there are may be meant."""
    ref = str(wanted)
    known = sorted(item.ref for item in components if item.name == wanted.name)
    here = sorted(item.name for item in components if item.namespace == wanted.namespace)
    hint = f"did you mean {known[0]}? " if known else ""
    there = f"that namespace has: {few(here)}" if here else "it has no DaemonSet"
    return Refusal(
        "component-missing",
        f"there is no {ref}",
        f"{hint}{there}; list them with: bridgehead inventory",
        ref,
    )


def refusals(subject: Subject, *, detach: bool) -> tuple[Refusal, ...]:
    """Every reason against this change of this component now."""
    checks = (
        _deleting,
        _owned,
        _nodes,
        _aside,
        _unproven_kinds,
        _revisions,
        selector_refusals,
        placement_refusals,
        _resources,
        _timing,
    )
    found = [item for check in checks for item in check(subject)]
    return tuple(item for item in found if not (detach and item.rule == "owned-elsewhere"))


def _deleting(subject: Subject) -> Iterator[Refusal]:
    if subject.component.deleting:
        yield subject.refusal(
            "component-deleting",
            f"{subject.component.ref} is being deleted",
            "nothing can be rolled out to it",
        )


def _owned(subject: Subject) -> Iterator[Refusal]:
    ways = {
        "helm": "change the image in the chart's values and upgrade the release",
        "operator": "change the field of that object that sets the image",
        "gitops": "change the manifest in its repository",
    }
    for owner in subject.component.owners:
        yield subject.refusal(
            "owned-elsewhere",
            f"{subject.component.ref} is written by {owner.kind} ({owner.name}), which would undo "
            "the change or be undone by it",
            f"{ways.get(owner.kind, 'change it there')}; or insist with --detach",
        )


def _nodes(subject: Subject) -> Iterator[Refusal]:
    if subject.nodes or subject.moves:
        return
    selector = texts(subject.component.template, "spec", "nodeSelector")
    asked = ", ".join(f"{key}={value}" for key, value in sorted(selector.items()))
    yield subject.refusal(
        "no-node",
        f"no node is eligible for {subject.component.ref}",
        (f"its nodeSelector is {asked}; " if asked else "")
        + "compare the nodes' labels and taints: kubectl get nodes --show-labels",
    )


def _aside(subject: Subject) -> Iterator[Refusal]:
    aside, total = len(subject.set_aside), len(subject.nodes)
    if not total:
        return
    shown = few([f"{item.node} ({item.reason})" for item in subject.set_aside])
    if aside == total:
        yield subject.refusal(
            "no-usable-node",
            f"every eligible node is set aside: {shown}",
            "mend them first",
        )
    elif aside > max(1, total * 20 // 100):
        yield subject.refusal(
            "too-many-set-aside",
            f"{aside} of {total} eligible nodes are set aside: {shown}",
            "mend them first, or leave them out with nodes.exclude",
        )


def _unproven_kinds(subject: Subject) -> Iterator[Refusal]:
    """A kind of node that has no canary would be proven by nothing when its nodes come back."""
    usable = {cohort_of(node, subject.spec.cohort) for node in subject.usable}
    reasons = {item.node: item.reason for item in subject.set_aside}
    for cohort, nodes in cohorts_of(subject.nodes, subject.spec.cohort).items():
        if usable and cohort not in usable:
            shown = few([f"{node.name} ({reasons[node.name]})" for node in nodes])
            yield subject.refusal(
                "cohort-without-canary",
                f"no node of the cohort {cohort.name} can be changed: {shown}",
                "mend one of them first, or leave them out with nodes.exclude",
            )


def _revisions(subject: Subject) -> Iterator[Refusal]:
    if subject.component.anchor:
        run = subject.component.anchor.split("/")[1:2]
        name = run[0] if run else subject.component.anchor
        yield subject.refusal(
            "run-open",
            f"run {name} holds {subject.component.ref}, or has left its mark there",
            f"bridgehead status {name}; the command that began it goes on, release gives it back",
        )
        return
    former = subject.former
    if former is None:
        yield subject.refusal(
            "revision-unknown",
            "no ControllerRevision holds the template that stands",
            "wait until the DaemonSet controller has caught up, then plan again",
        )
        return
    differing = {
        name: pod.revision
        for name, pods in sorted(subject.pods.items())
        for pod in pods
        if pod.revision != former.hash
    }
    if differing:
        shown = ", ".join(f"{node} -> {found or 'none'}" for node, found in differing.items())
        yield subject.refusal(
            "mixed-revisions",
            f"pods do not carry the standing template's hash {former.hash}: {shown}",
            "finish or undo the earlier change first: kubectl rollout history "
            f"ds/{subject.component.name} -n {subject.component.namespace}",
        )


def _resources(subject: Subject) -> Iterator[Refusal]:
    if not subject.resources:
        yield subject.refusal(
            "resources-unknown",
            f"which resources it offers is not known ({subject.resources_source})",
            "name them in the spec: resources: [vendor.com/device]",
        )


def _timing(subject: Subject) -> Iterator[Refusal]:
    verify = subject.spec.verify
    if verify.status_period < SAFE_STATUS_PERIOD and not verify.status_period_unchecked:
        yield subject.refusal(
            "status-period-unconfirmed",
            f"verify.statusPeriod is {verify.status_period:g} s; a kubelet reports every 10 s",
            "leave it out, or set verify.statusPeriodUnchecked: true where all kubelets are "
            "configured so",
        )


def nothing_to_do(subject: Subject) -> bool:
    """Whether every container has its image already, or the template is the manifest's."""
    if not isinstance(subject.spec.change, ImagesChange):
        return template_digest(subject.target) == subject.component.template_digest
    wanted = subject.spec.change.by_container()
    return all(subject.component.images.get(name) == image for name, image in wanted.items())
