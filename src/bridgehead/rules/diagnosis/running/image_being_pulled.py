"""The plugin's image is still being pulled.

Finds: a plugin's pod that is being set up and whose newest event says that its image is being
pulled.

Why: images of accelerator software are large, and a node offers nothing of the plugin while it
waits. That is no fault for some minutes; after ten the way to the registry is worth a look.

Sure: the event Pulling has no Pulled and no Failed after it.

Do: wait; pull the image on the nodes beforehand the next time.
"""

from collections.abc import Iterable, Sequence

from bridgehead.core.diagnose import remedies
from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing, by_component
from bridgehead.core.diagnose.cause import Blame, Cause, RollbackHelps
from bridgehead.core.diagnose.plugin_cause import plugin_cause
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Event
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.durations import duration_text

_LONG = 600.0
_ABOUT_IMAGES = ("Pulling", "Pulled", "Failed", "BackOff")


def _check(scene: Scene) -> Iterable[Cause]:
    pulling = (item for item in ailing(scene, Trouble.CREATING) if _pulling(scene, item))
    for items in by_component(pulling):
        yield _cause(scene, items)


def _pulling(scene: Scene, item: Ailing) -> Event | None:
    """The event of the pull that is going on; None where there is none."""
    pod = item.post.pod
    events = [it for it in scene.events(pod) if it.reason in _ABOUT_IMAGES] if pod else []
    return events[-1] if events and events[-1].reason == "Pulling" else None


def _cause(scene: Scene, items: Sequence[Ailing]) -> Cause:
    posts = [item.post for item in items]
    events = [event for item in items if (event := _pulling(scene, item))]
    waited = max(scene.now - event.last for event in events)
    long = waited >= _LONG
    pod = posts[0].pod
    return plugin_cause(
        scene,
        posts,
        message=f"its image has been pulled for {duration_text(waited // 1)} and is not there yet",
        blame=Blame.BELOW if long else Blame.EXPECTED,
        severity=Severity.WARNING if long else Severity.INFO,
        evidence=tuple(Evidence(event.source, event.message) for event in events[:2]),
        refuted_by="an event Pulled or Failed that is newer",
        rollback=RollbackHelps.NO,
        actions=(remedies.describe(pod, "Wait, and look again."),) if pod else (),
    )


RULE = DiagnosisRule(
    name="image-being-pulled",
    severity=Severity.INFO,
    level=2,
    references=("https://kubernetes.io/docs/concepts/containers/images/",),
    needs=frozenset({Need.PODS, Need.DAEMON_SETS, Need.EVENTS}),
    check=_check,
)
