"""A device plugin waits for a device that it offers itself.

Finds: pods of a plugin that stay Pending and ask for a resource which no other plugin offers and
this one would: by its family, by what it offers already, or by a name that it is given.

Why: the device is there only once the plugin runs, and the scheduler places the pod only where the
device is free. After an update the nodes lose their devices with the former pod.

Sure: the pod's message is Insufficient with that name, and the template's limits have it.

Do: go back if the former template did not ask for it; take the resource out of the plugin's
requests and limits. Workloads ask for it, the plugin itself reaches its devices by host paths.
"""

from collections.abc import Iterable, Sequence

import msgspec

from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.own_device import containers_of, own_alone
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin
from bridgehead.core.diagnose.remedies import edit, roll_back
from bridgehead.core.diagnose.revisions import former_of, templates_of
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.symptom import pod_key, resource_key
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonObject, child, children, text


def _check(scene: Scene) -> Iterable[Cause]:
    known = {item.key for item in scene.symptoms_with("pod/")}
    waiting = [
        post
        for post in scene.posts
        if post.pod and post.pod.phase == "Pending" and not post.pod.bound
        if pod_key(post.pod) in known
    ]
    for posts in by_plugin(waiting):
        plugin = posts[0].plugin
        asked = sorted({name for post in posts if post.pod for name in post.pod.requests})
        for name in asked:
            if own_alone(scene, plugin, name):
                mine = [post for post in posts if post.pod and name in post.pod.requests]
                yield _cause(scene, mine, name)
                break


def _asking(template: JsonObject, name: str) -> dict[str, str]:
    """Containers of a template that ask for the name, with how many they ask for."""
    found: dict[str, str] = {}
    for item in containers_of(template):
        for field in ("limits", "requests"):
            quantities = child(item, "resources", field)
            if isinstance(quantities, dict) and str(quantities.get(name, "0")) != "0":
                found.setdefault(text(item, "name"), str(quantities[name]))
    return found


def _cause(scene: Scene, posts: Sequence[Post], name: str) -> Cause:
    component = posts[0].plugin.component
    asking = _asking(component.template, name)
    _, former = former_of(templates_of(scene, component))
    helps = RollbackHelps.UNKNOWN
    if former is not None and former.template:
        helps = RollbackHelps.NO if _asking(former.template, name) else RollbackHelps.YES
    back = (roll_back(component),) if helps is RollbackHelps.YES else ()
    where = f" of {', '.join(asking)}" if asking else ""
    cause = plugin_cause(
        scene,
        posts,
        message=f"its pods ask for {name}, which this plugin itself offers: they wait for what is "
        "there only once they run",
        blame=Blame.VERSION if back else Blame.CONFIGURATION,
        evidence=(
            *(
                Evidence(f"template of {component.ref}", f"container {ctr} asks for {count} {name}")
                for ctr, count in asking.items()
            ),
            *_said(scene, posts),
        ),
        refuted_by=f"another plugin that offers {name} on these nodes",
        rollback=helps,
        actions=(
            *back,
            edit(component, f"Take {name} out of the requests and limits{where}."),
        ),
        ruled_out=(
            RuledOut("devices in use", f"without the plugin no node can offer {name}"),
            RuledOut("a crash of the plugin", "its containers were never started"),
        ),
    )
    return _with_users(scene, cause, name)


def _with_users(scene: Scene, cause: Cause, name: str) -> Cause:
    """What else waits for the name waits for the same."""
    keys = {*cause.explains, resource_key(name)}
    keys |= {pod_key(pod) for pod in scene.waiting_pods if name in pod.requests}
    explains = tuple(item.key for item in scene.symptoms if item.key in keys)
    return msgspec.structs.replace(cause, explains=explains)


def _said(scene: Scene, posts: Sequence[Post]) -> Iterable[Evidence]:
    """The pods' own state, and what the scheduler says of the first that it speaks of."""
    pods = [post.pod for post in posts if post.pod]
    for pod in pods:
        for event in reversed(scene.events(pod)):
            if event.reason == "FailedScheduling":
                yield Evidence(event.source, event.message)
                return
        for item in children(scene.raw(pod), "status", "conditions"):
            if text(item, "type") == "PodScheduled" and text(item, "message"):
                yield Evidence(f"condition PodScheduled of pod {pod.ref}", text(item, "message"))
                return
    for pod in pods[:1]:
        yield Evidence(f"status of pod {pod.ref}", "Pending, not bound to a node")


RULE = DiagnosisRule(
    name="plugin-waits-for-its-own-device",
    severity=Severity.ERROR,
    level=2,
    references=(
        "https://kubernetes.io/docs/concepts/extend-kubernetes/compute-storage-net/device-plugins/",
    ),
    needs=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS, Need.REVISIONS}),
    supersedes=frozenset(
        {
            "requested-name-not-offered",
            "dead-resource-name",
            "resource-without-plugin",
            "plugin-never-registers",
            "plugin-pod-missing",
            "excluded-by-another-predicate",
        }
    ),
    check=_check,
)
