"""The plugin's selectors match none of the node's devices.

Finds: a plugin whose log lists devices of the node and then an empty pool, or says what its
selector misses, while the node shows too few devices.

Why: names of interfaces, device ids, drivers or link types in the configuration do not fit this
node's hardware, often because one configuration serves nodes of several kinds.

Sure: discovery lists devices and the pool is empty: a filter. Where nothing is listed, the hardware
or its driver is missing, and where the devices came after the plugin's start, a restart helps.

Do: select by PCI id or by a label of your own for each kind of node; load the modules that the
selector asks for.
"""

import re
from collections.abc import Iterable

from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.device_hints import device_hint
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.scoped_cause import offering, scoped_cause, shown
from bridgehead.core.diagnose.told import told
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.model.component import Component
from bridgehead.core.model.confidence import Confidence
from bridgehead.core.model.json import children, text

_KEY = "no-device-selected"
_BELOW = ("driver-missing", "driver-not-visible", "init-failed")


def _check(scene: Scene) -> Iterable[Cause]:
    for group in told(scene, _KEY, unless=_BELOW):
        seen = [item for item in group if _filtered(item.post) and device_hint(scene, item.post)]
        if not seen:
            continue
        posts = [item.post for item in seen]
        lists = [post.quotes["device-listed"] for post in posts if "device-listed" in post.quotes]
        missed = [
            post.quotes["selector-missed"] for post in posts if "selector-missed" in post.quotes
        ]
        component = posts[0].plugin.component
        yield scoped_cause(
            scene,
            posts,
            message=f"the selectors of {component.ref} match no device of "
            f"{listed(post.node.name for post in posts)}, so {offering(posts)} has none",
            evidence=[
                *(item.quote.evidence for item in seen[:3]),
                *(line.evidence for line in (*lists[:2], *missed[:2])),
                *shown(posts),
            ],
            refuted_by="a device in the list of the log that meets every selector",
            blame=Blame.CONFIGURATION,
            rollback=RollbackHelps.UNKNOWN,
            ruled_out=[RuledOut("missing hardware", "discovery lists devices")] if lists else [],
            actions=[_configuration(component)],
            confidence=Confidence.HIGH if lists else Confidence.MEDIUM,
        )


def _filtered(post: Post) -> bool:
    """Whether devices were listed and none taken, or the line itself says which part failed.

    Where others of the plugin's pools are full, the empty one must be that which pods ask for.
    """
    if post.alive and not post.short:
        line = post.quotes[_KEY].text if _KEY in post.quotes else ""
        words = re.findall(r"[\w.-]+", line)
        if not any(name.partition("/")[2] in words for name in post.vain):
            return False
    return "device-listed" in post.quotes or "selector-missed" in post.quotes


def _configuration(component: Component) -> Action:
    volumes = children(component.template, "spec", "volumes")
    names = [text(item, "configMap", "name") for item in volumes]
    name = next(filter(None, names), "")
    return Action(
        text="Compare each selector with the devices that the log lists, and correct it.",
        command=f"kubectl get configmap -n {component.namespace} {name} -o yaml" if name else "",
    )


RULE = DiagnosisRule(
    name="selectors-match-nothing",
    severity=Severity.ERROR,
    level=3,
    references=("Mellanox/network-operator#438", "rdma#159", "sriov#424"),
    cases=("ZERO-9",),
    helped_by=frozenset({Need.NODES, Need.PODS, Need.DAEMON_SETS, Need.LOGS}),
    supersedes=frozenset({"plugin-crashes", "plugin-never-registers"}),
    check=_check,
)
