"""The plugin crashes, for a reason that no other rule names.

Finds: a plugin's container that ends again and again, and whose log shows none of the faults that
have a rule of their own.

Why: a node without a running plugin offers N/0 at once and 0/0 after five minutes. Whether the
version is bad or the node has changed decides if going back helps.

Sure: compare nodes: if the same revision is sound elsewhere, the node is to blame; if only the
former one is, the version. The last lines of kubectl logs --previous say what it died of.

Do: where the version is bad, go back; where the node has drifted, keep new pods away from it and
repair it, as going back does not help.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.components.signs import SIGNS
from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, by_component, quoted
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RuledOut
from bridgehead.core.diagnose.log_faults import crash_quotes
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import Verdict, version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.confidence import Confidence

_SAYS_LITTLE = frozenset(
    {
        "crashed",
        "part-stopped",
        "start-failed",
        "server-crashed",
        "registration-failed",
        "init-failed",
        "scan-failed",
        "fpga-mode-mismatch",
        "allocation-failed",
        "kubelet-socket-denied",
        "sysfs-denied",
        "configuration-refused",
        "device-unhealthy",
        "device-lost",
        "device-error",
    }
)
"""Signs that no rule about plugins that do not start is made for."""


def _check(scene: Scene) -> Iterable[Cause]:
    found = (item for item in ailing(scene, Trouble.CRASH, Trouble.START) if not _named(item))
    for items in by_component(found):
        yield _cause(scene, items)


def _named(item: Ailing) -> bool:
    """Whether a line of its log has a rule of its own."""
    return any(q.key in SIGNS and q.key not in _SAYS_LITTLE for q in crash_quotes(item))


def _cause(scene: Scene, items: Sequence[Ailing]) -> Cause:
    first = items[0]
    posts = [item.post for item in items]
    container = first.container
    verdict = version_or_node(scene, posts, Blame.VERSION)
    code = container.exit_code or container.last_exit_code
    ended = f" with exit code {code}" if code else ""
    decided = bool(verdict.ruled_out)
    return plugin_cause(
        scene,
        posts,
        message=f"container {container.name} crashes{ended}: {_words(verdict)}",
        blame=verdict.blame,
        evidence=(*_last_words(first), *quoted(items)),
        refuted_by="the same revision, sound on a node of the same kind"
        if verdict.blame is Blame.VERSION
        else "the same crash on a node that was sound so far",
        rollback=verdict.rollback,
        actions=_actions(items, verdict),
        ruled_out=(*verdict.ruled_out, *_begun(first)),
        confidence=Confidence.HIGH if decided else Confidence.LOW,
    )


def _begun(item: Ailing) -> list[RuledOut]:
    """What a process that has run speaks against."""
    if item.trouble is not Trouble.CRASH:
        return []
    return [RuledOut("image, mounts or runtime", "its process was started, and has ended")]


def _words(verdict: Verdict) -> str:
    if not verdict.ruled_out:
        return "nothing tells yet whether the version or the node is to blame"
    who = "this version is bad" if verdict.blame is Blame.VERSION else "the node has changed"
    return f"{who}, as {verdict.ruled_out[0].by}"


def _last_words(item: Ailing) -> list[Evidence]:
    """A line that tells, else the last one that is not empty, of the process that ended."""
    quotes = crash_quotes(item)
    if quotes:
        return [quotes[0].evidence]
    logs = [pair for pair in item.post.logs if pair[0].container == item.container.name]
    for key, log in sorted(logs, key=lambda pair: not pair[0].previous):
        lines = [(number, line) for number, line in enumerate(log.lines) if line.strip()]
        if lines:
            number, line = lines[-1]
            return [Evidence(f"log {key}:{log.number_of(number)}", line)]
    return []


def _actions(items: Sequence[Ailing], verdict: Verdict) -> tuple[Action, ...]:
    pod, component = items[0].post.pod, items[0].post.plugin.component
    read = (remedies.show_log(pod),) if pod else ()
    if verdict.of_version:
        return (remedies.roll_back(component), *read)
    if verdict.blame is Blame.DRIFT:
        nodes = sorted({item.post.node.name for item in items})
        return (remedies.cordon(nodes, "the plugin does not start there any more"), *read)
    return read


RULE = DiagnosisRule(
    name="plugin-crashes",
    severity=Severity.ERROR,
    level=2,
    references=("https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/",),
    needs=frozenset({Need.PODS, Need.NODES, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.LOGS, Need.REVISIONS, Need.HISTORY}),
    check=_check,
)
