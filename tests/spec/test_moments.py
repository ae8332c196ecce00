"""Windows and points of approval, as people write them."""

import pytest

from bridgehead.core.plan.settings import EVERY_DAY, Weekday, Window
from tests.spec.specs import MINIMAL, accepted, only_problem, rejected

WINDOW = 'windows: [{days: [fri, sat], from: "22:00", to: "04:00", timezone: Europe/Berlin}]\n'


def test_a_window_is_read_in_minutes() -> None:
    assert accepted(MINIMAL + WINDOW).spec.windows == (
        Window(
            days=(Weekday.FRIDAY, Weekday.SATURDAY),
            opens=1320,
            closes=240,
            timezone="Europe/Berlin",
        ),
    )


def test_a_window_without_days_is_one_of_every_day() -> None:
    text = f'{MINIMAL}windows: [{{from: "00:00", to: "24:00", timezone: UTC}}]\n'
    (window,) = accepted(text).spec.windows
    assert (window.days, window.minutes) == (EVERY_DAY, 1440)


def test_a_time_without_quotes_is_told_as_what_yaml_made_of_it() -> None:
    problems = rejected(MINIMAL + WINDOW.replace('"22:00"', "22:00"))
    assert "22:00 was read as the number 1320" in problems[0].message
    assert "quotes" in str(problems[0].suggestion)


@pytest.mark.parametrize("time", ["24:01", "7:00", "22.00", "25:00", "22:60", "late"])
def test_what_is_no_time_of_day_is_named(time: str) -> None:
    problem = only_problem(MINIMAL + WINDOW.replace("22:00", time))
    assert problem.path == "windows[0].from"
    assert f"'{time}' is no time of day" in problem.message


@pytest.mark.parametrize("zone", ["Europe/Atlantis", "../etc/passwd", "Europe", ""])
def test_a_zone_that_is_not_known_is_named(zone: str) -> None:
    problem = only_problem(MINIMAL + WINDOW.replace("Europe/Berlin", f'"{zone}"'))
    assert problem.path == "windows[0].timezone"
    assert f"'{zone}' is no time zone that is known here" in problem.message


def test_a_window_says_by_whose_clocks() -> None:
    problem = only_problem(MINIMAL + WINDOW.replace(", timezone: Europe/Berlin", ""))
    assert problem.message == "windows[0].timezone is missing"


def test_a_window_that_closes_when_it_opens_is_a_mistake() -> None:
    problem = only_problem(MINIMAL + WINDOW.replace("04:00", "22:00"))
    assert problem.message == "windows[0].to: the window closes when it opens, at 22:00"


def test_points_are_read_as_texts() -> None:
    spec = accepted(f"{MINIMAL}approve: [afterCanary, beforeWave: 2]\ntwoPeople: true\n").spec
    assert spec.approve == ("afterCanary", "beforeWave:2")
    assert spec.two_people


@pytest.mark.parametrize(
    ("point", "message"),
    [
        ("beforeCanary", "expected afterCanary, or beforeWave: with the number of a wave"),
        ("beforeWave: 0", "waves count from 1: there is no wave 0"),
        ("beforeWave: true", "expected afterCanary, or beforeWave: with the number of a wave"),
        ("beforeWave: 3", "there is no wave 3, only 2"),
    ],
)
def test_what_is_no_point_is_named(point: str, message: str) -> None:
    assert message in only_problem(f"{MINIMAL}approve: [{point}]\n").message


def test_two_people_without_a_point_is_doubted() -> None:
    (warning,) = accepted(f"{MINIMAL}twoPeople: true\n").warnings
    assert "twoPeople is set, but nothing waits for an approval" in warning.message
