"""A device plugin does not see the driver of its devices.

Finds: a plugin whose log says that the vendor's library or driver is not visible to it, on a node
that should have devices and shows none of them.

Why: the pod may be Running and Ready all the same, as most plugins then wait for ever; the node
offers nothing, and pods that ask for the devices stay Pending.

Sure: a runtime class that exists and is not used by the pod makes it run without the driver
(`kubectl get runtimeclass`, `kubectl get pod -o jsonpath={.spec.runtimeClassName}`). Where the same
version is sound on other nodes, this node lacks the driver, and a rollback cannot help. Where it is
sound nowhere and the former version had devices on these nodes, this version looks in vain. A node
that has no such device at all prints the same and is fine.

Do: go back from a version with which it began; set runtimeClassName, or make the vendor's runtime
the default one; on a drifted node repair or replace the driver, and keep new pods away until then.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.device_hints import device_hint
from bridgehead.core.diagnose.reach import listed, reach_of
from bridgehead.core.diagnose.remedies import cordon, edit
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.told import Told, told
from bridgehead.core.diagnose.version_or_node import begun_with_version
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import text

_TELL_MORE = (
    "driver-library-mismatch",
    "mps-parts-missing",
    "mig-geometry",
    "mig-not-permitted",
    "configuration-refused",
    "api-server-unreachable",
    "permission-missing",
    "inotify-limit",
    "sysfs-denied",
    "kubelet-socket-missing",
    "kubelet-socket-denied",
)


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    for group in told(scene, "driver-not-visible", "init-failed", unless=_TELL_MORE):
        seen = [item for item in group if device_hint(scene, item.post)]
        if seen:
            yield _cause(scene, seen)
            yield from _unread_classes(scene, seen[0])


def _unread_classes(scene: Scene, item: Told) -> Iterable[Doubt]:
    """That a runtime class may be what is missing, where none could be looked at."""
    template = item.post.plugin.component.template
    if not scene.observed.has(Need.RUNTIME_CLASSES) and not text(
        template, "spec", "runtimeClassName"
    ):
        yield Doubt(
            why=f"runtime classes were not read: {item.post.plugin.component.ref} may need one"
        )


def _cause(scene: Scene, seen: Sequence[Told]) -> Cause:
    posts = [item.post for item in seen]
    plugin, nodes = posts[0].plugin, [post.node.name for post in posts]
    hints = [hint for post in posts[:2] for hint in [device_hint(scene, post)] if hint]
    evidence = [*(item.quote.evidence for item in seen[:3]), *shown(posts), *hints]
    unused = _unused_class(scene, seen[0])
    version = begun_with_version(scene, posts)
    had = _had_class(scene, seen[0])
    drifted = reach_of(scene, posts).blame is Blame.DRIFT
    # A former version that was sound without the class, too, did not need it.
    if unused and not drifted and (version is None or had is not RollbackHelps.NO):
        name, proof = unused
        return scoped_cause(
            scene,
            posts,
            message=f"{plugin.component.ref} does not see the driver on {listed(nodes)}: "
            f"its pods do not use the runtime class {name}, so {offering(posts)} is missing",
            evidence=[*evidence, proof],
            refuted_by=f"a pod with runtimeClassName {name} on the same node that does not see the "
            "device either",
            blame=Blame.CONFIGURATION,
            rollback=had,
            ruled_out=[
                RuledOut("a node without devices", f"{hint.source}: {hint.text}")
                for hint in hints[:1]
            ],
            actions=[edit(plugin.component, f"Set runtimeClassName: {name} in the pod template.")],
        )
    return scoped_cause(
        scene,
        posts,
        message=f"{plugin.component.ref} does not see the driver of its devices on "
        f"{listed(nodes)}, so {offering(posts)} is missing",
        evidence=evidence,
        refuted_by="the vendor's own tool on the node showing the devices, from a container that "
        "is started in the same way as the plugin's",
        blame=Blame.BELOW,
        by_past=True,
        ruled_out=[
            RuledOut("a node without devices", f"{hint.source}: {hint.text}") for hint in hints[:1]
        ],
        actions=[
            *(
                [cordon(nodes, "they offer no devices until the driver is repaired")]
                if drifted
                else []
            ),
            _driver(nodes[0], of_version=version is not None),
        ],
    )


def _driver(node: str, *, of_version: bool) -> Action:
    """A person's to repair, unless the version is to blame: then it is only to be looked at."""
    look = "is it installed, is its module loaded, and does the container runtime hand it on?"
    return Action(
        text=f"Look at the driver on {node}: {look}"
        if of_version
        else f"Repair the driver on {node}. Look first: {look}",
        command=f"kubectl debug node/{node} -it --image=busybox --profile=sysadmin -- "
        "chroot /host sh -c 'lsmod; ls -l /dev'",
        rung="" if of_version else "runbook",
    )


def _unused_class(scene: Scene, item: Told) -> tuple[str, Evidence] | None:
    """A runtime class of the family that the plugin's pods do not use."""
    template, family = item.post.plugin.component.template, item.post.plugin.family
    if text(template, "spec", "runtimeClassName"):
        return None
    for found in scene.observed.of_kind("RuntimeClass"):
        handler, name = text(found, "handler"), text(found, "metadata", "name")
        if family.name in handler or family.name in name:
            said = f"handler {handler}; the template of the plugin has no runtimeClassName"
            return name, Evidence(f"RuntimeClass/{name}", said)
    return None


def _had_class(scene: Scene, item: Told) -> RollbackHelps:
    """Whether the former template named a runtime class."""
    _, former = former_of(templates_of(scene, item.post.plugin.component))
    if former is None or not former.template:
        return RollbackHelps.UNKNOWN
    had = text(former.template, "spec", "runtimeClassName")
    return RollbackHelps.YES if had else RollbackHelps.NO


RULE = DiagnosisRule(
    name="driver-not-visible",
    severity=Severity.ERROR,
    level=3,
    references=("NVIDIA#478", "NVIDIA#1011", "awslabs/amazon-eks-ami#1744"),
    cases=("ZERO-1",),
    helped_by=frozenset(
        {Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS, Need.RUNTIME_CLASSES, Need.REVISIONS}
    ),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers"}),
    check=_check,
)
