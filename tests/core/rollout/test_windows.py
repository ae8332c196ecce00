"""Windows: when they open and close, by which clock, and what a run does at their edges."""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from bridgehead.core.plan.settings import OnFailure, Reaction, Weekday, Window
from bridgehead.core.rollout.limits import Limits
from bridgehead.core.rollout.windows import opening
from tests.core.rollout.asking import asking, go_on
from tests.core.rollout.scenes import FOUR, Scene
from tests.core.standin.cluster import START
from tests.core.standin.plans import plan_of
from tests.core.standin.versions import Version

BERLIN = "Europe/Berlin"
ZONES = {BERLIN: ZoneInfo(BERLIN), "UTC": UTC}
NIGHT = Window(opens=22 * 60, closes=4 * 60, timezone=BERLIN)


def at(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@pytest.mark.parametrize(
    ("moment", "is_open"),
    [
        ("2026-01-05T21:59:59+01:00", False),
        ("2026-01-05T22:00:00+01:00", True),
        ("2026-01-06T03:59:59+01:00", True),
        ("2026-01-06T04:00:00+01:00", False),
        ("2026-07-06T22:30:00+02:00", True),
        ("2026-07-06T21:30:00+01:00", True),
        ("2026-07-06T21:30:00+02:00", False),
    ],
)
def test_a_window_over_midnight_by_the_clocks_of_a_place(moment: str, is_open: bool) -> None:
    assert opening((NIGHT,), ZONES, at(moment)).open is is_open


def test_the_day_of_a_window_is_the_one_on_which_it_opens() -> None:
    friday = Window(days=(Weekday.FRIDAY,), opens=22 * 60, closes=4 * 60, timezone=BERLIN)
    assert opening((friday,), ZONES, at("2026-01-10T03:00:00+01:00")).open
    assert not opening((friday,), ZONES, at("2026-01-09T03:00:00+01:00")).open
    later = opening((friday,), ZONES, at("2026-01-10T05:00:00+01:00"))
    assert later.opens == at("2026-01-16T22:00:00+01:00")


def test_windows_that_touch_or_overlap_are_one() -> None:
    first = Window(opens=20 * 60, closes=1440, timezone=BERLIN)
    second = Window(opens=0, closes=120, timezone=BERLIN)
    third = Window(opens=60, closes=180, timezone=BERLIN)
    seen = opening((first, second, third), ZONES, at("2026-01-05T21:00:00+01:00"))
    assert seen.closes == at("2026-01-06T03:00:00+01:00")
    assert seen.opens == at("2026-01-06T20:00:00+01:00")


def test_without_windows_it_is_always_open() -> None:
    seen = opening((), {}, START)
    assert (seen.open, seen.closes) == (True, None)


def test_a_window_of_a_zone_that_is_not_known_counts_as_closed_and_is_named() -> None:
    seen = opening((NIGHT,), {}, at("2026-01-05T23:00:00+01:00"))
    assert (seen.open, seen.unknown) == (False, (BERLIN,))


def test_in_the_night_in_which_clocks_go_forward_a_window_is_an_hour_shorter() -> None:
    seen = opening((NIGHT,), ZONES, at("2026-03-28T22:00:00+01:00"))
    assert seen.closes == at("2026-03-29T04:00:00+02:00")
    assert seen.closes - at("2026-03-28T22:00:00+01:00") == 5 * 3600


def test_in_the_night_in_which_clocks_go_back_a_window_is_an_hour_longer() -> None:
    seen = opening((NIGHT,), ZONES, at("2026-10-24T22:00:00+02:00"))
    assert seen.closes == at("2026-10-25T04:00:00+01:00")


def test_a_time_that_occurs_twice_opens_late_and_closes_early() -> None:
    twice = Window(opens=2 * 60 + 30, closes=6 * 60, timezone=BERLIN)
    assert opening((twice,), ZONES, at("2026-10-25T00:00:00+02:00")).opens == at(
        "2026-10-25T02:30:00+01:00"
    )
    until = Window(opens=0, closes=2 * 60 + 30, timezone=BERLIN)
    assert opening((until,), ZONES, at("2026-10-25T01:00:00+02:00")).closes == at(
        "2026-10-25T02:30:00+02:00"
    )


def test_a_time_that_does_not_occur_makes_no_window_longer() -> None:
    gap = Window(opens=2 * 60 + 30, closes=2 * 60 + 45, timezone=BERLIN)
    night = at("2026-03-29T00:00:00+01:00")
    assert opening((gap,), ZONES, night).opens == at("2026-03-30T02:30:00+02:00")


# --- a run at the edges of a window ---------------------------------------------------------------

HERE = timezone(timedelta(0), "here")
STARTED = datetime.fromtimestamp(START, HERE)
MINUTE = STARTED.hour * 60 + STARTED.minute


def window(opens: int, closes: int) -> Window:
    """A daily window, in minutes from the minute in which the stand-in begins."""
    return Window(opens=(MINUTE + opens) % 1440, closes=(MINUTE + closes) % 1440, timezone="here")


LIMITS = Limits(zones={"here": HERE})


def scene_in(item: Window, version: Version = Version(), **planned: object) -> Scene:  # noqa: B008
    plan = asking(plan_of(FOUR, **planned), windows=(item,))  # type: ignore[arg-type]
    scene = Scene(version, plan=plan)
    go_on(scene, LIMITS, after=0.5)
    return scene


def test_outside_of_every_window_nothing_begins_and_the_next_one_is_named() -> None:
    scene = scene_in(window(60, 120))
    ending = scene.run()
    assert ending.exit == 5
    later = STARTED + timedelta(hours=1)
    assert f"no window is open; the next opens {later:%Y-%m-%d %H:%M} here" in ending.summary
    assert scene.touched == set()
    scene.cluster.advance(3600)
    assert go_on(scene, LIMITS).run().exit == 0


def test_a_window_that_closes_in_the_middle_parks_the_run_between_nodes() -> None:
    scene = scene_in(window(0, 2))
    ending = scene.run()
    assert ending.exit == 5
    assert scene.standing == "v1 OnDelete"
    assert scene.runner.state.working == ()
    assert [name for name, node in scene.cluster.nodes.items() if node.unschedulable] == []
    closes = datetime.fromtimestamp(START, HERE).replace(second=0, microsecond=0)
    end = (closes + timedelta(minutes=2)).timestamp()
    assert all(item.at < end for item in scene.cluster.deletions)
    for _ in range(3):
        assert go_on(scene, LIMITS).run().exit == 5
    scene.cluster.now += 86400 - (scene.cluster.now - START)
    for _ in range(8):
        ending = go_on(scene, LIMITS).run()
        if ending.exit == 0:
            break
        scene.cluster.now += 86400 - (scene.cluster.now - START) % 86400
    assert ending.exit == 0


def test_no_node_begins_that_could_not_be_done_before_the_window_closes() -> None:
    scene = scene_in(window(0, 60))
    start = at(f"{STARTED:%Y-%m-%dT%H:%M}:00+00:00")
    scene.cluster.now = start + 3600 - 10
    ending = scene.run()
    assert ending.exit == 5
    assert "the window closes soon and a node takes up to" in ending.summary
    assert scene.cluster.deletions == []


def test_a_runner_that_may_wait_stays_until_the_window_opens() -> None:
    scene = scene_in(window(10, 120))
    runner = go_on(scene, Limits(zones={"here": HERE}, waits=True), after=0.5)
    assert runner.run().exit == 0
    assert min(item.at for item in scene.cluster.deletions) >= START + 500


def test_a_failed_run_is_taken_back_after_its_window_has_closed() -> None:
    bad = Version(unhealthy_after=40.0)
    scene = scene_in(window(0, 2), bad, on_failure=OnFailure(wave=Reaction.ROLLBACK))
    scene.runner.until(lambda it: it.state.soak_since is not None)
    scene.runner.until(lambda it: any("failed" in step for step in it.steps_text))
    scene.cluster.now += 600
    ending = scene.run()
    assert ending.exit == 3
    assert set(scene.cluster.tags().values()) == {"v1"}


def test_windows_in_a_zone_that_this_machine_does_not_know_keep_the_run_from_beginning() -> None:
    scene = scene_in(window(0, 120))
    ending = go_on(scene, Limits()).run()
    assert ending.exit == 5
    assert "the time zones here are not known on this machine" in ending.summary
