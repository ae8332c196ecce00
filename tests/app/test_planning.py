"""Plans where no API server can be asked what it would store."""

from bridgehead.app.planning import plan_recorded
from bridgehead.core.plan.plan import Plan, Refused
from bridgehead.core.plan.settings import ManifestChange
from tests.core.plan.scenery import component, node, snapshot, spec


def test_images_are_rendered_here() -> None:
    planned = plan_recorded(spec(), snapshot([node("a1")]))
    assert isinstance(planned.result, Plan)
    assert planned.unread == ()


def test_of_a_manifest_nothing_is_guessed() -> None:
    """Every field that the server fills in would look like a change, and a move like none."""
    change = ManifestChange(path="plugin.yaml", template={"spec": {}}, selector={})
    planned = plan_recorded(spec(change=change), snapshot([node("a1")], of=component()))
    assert planned.result == Refused(refusals=())
    (unread,) = planned.unread
    assert unread.what.startswith("what the API server would store as the template of")
    assert unread.why == "a recorded state has no server to ask"
