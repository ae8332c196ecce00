"""The arguments are written for another version of the image.

Finds: a plugin's container that cannot start its program, or whose program does not know an
argument or a value.

Why: an image moves its entry point, renames a flag or takes one away; arguments that stay behind
are taken for the program itself, or end it at once.

Sure: the start error says executable file not found for a word of the arguments, or the log says
flag provided but not defined; it begins with the change of image or arguments.

Do: align the arguments with the version of the image, or use the environment variables that the
plugin has; until then go back.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, by_component
from bridgehead.core.diagnose.cause import Blame, Cause, RuledOut
from bridgehead.core.diagnose.log_faults import crash_quotes
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.version_or_node import version_or_node
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonValue, canonical, child, children, text

# runc (libcontainer, 1.1 to 1.3) through Go's os/exec; crun says the same in other words.
_NO_PROGRAM = (
    r"exec: \"(?P<word>[^\"]+)\": (executable file not found|stat \S+: no such file)"
    r"|executable file `(?P<other>[^`]+)` not found"
)
_NO_FLAG = r"flag provided but not defined|unknown (shorthand )?flag"


def _check(scene: Scene) -> Iterable[Cause]:
    found = (item for item in ailing(scene, Trouble.START, Trouble.CRASH) if _proof(item))
    for items in by_component(found):
        yield _cause(scene, items, _proof(items[0])[0])


def _proof(item: Ailing) -> list[Evidence]:
    said = item.match(f"{_NO_PROGRAM}|{_NO_FLAG}")
    quotes = [it.evidence for it in crash_quotes(item) if it.key == "arguments-unknown"]
    return [*quotes, *([said[0]] if said else [])]


def _cause(scene: Scene, items: Sequence[Ailing], proof: Evidence) -> Cause:
    posts = [item.post for item in items]
    first, component = items[0], posts[0].plugin.component
    verdict = version_or_node(scene, posts, Blame.VERSION)
    back = (remedies.roll_back(component),) if verdict.of_version else ()
    given = _given(first)
    return plugin_cause(
        scene,
        posts,
        message=f"image {first.container.image} does not take the arguments of container "
        f"{first.container.name}",
        blame=Blame.VERSION,
        evidence=(
            proof,
            Evidence(f"command and arguments of {component.ref}", canonical(given)),
        ),
        refuted_by="the same image with the same arguments, running on another node",
        rollback=verdict.rollback,
        actions=(
            *back,
            remedies.edit(component, "Give the arguments that this version of the image knows."),
        ),
        ruled_out=(
            RuledOut("the node", "the program itself does not start, whatever the node"),
            *verdict.ruled_out,
        ),
    )


def _given(item: Ailing) -> list[JsonValue]:
    template = item.post.plugin.component.template
    for field in ("initContainers", "containers"):
        for container in children(template, "spec", field):
            if text(container, "name") == item.container.name:
                return [child(container, "command") or [], child(container, "args") or []]
    return []


RULE = DiagnosisRule(
    name="arguments-for-another-version",
    severity=Severity.ERROR,
    level=2,
    cases=("RUN-13",),
    references=("onepanelio/onepanel#789",),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.EVENTS, Need.LOGS, Need.REVISIONS}),
    supersedes=frozenset({"plugin-crashes"}),
    check=_check,
)
