"""The page about recovery: its tables are what the code does."""

from pathlib import Path

import pytest

from bridgehead.cluster.reader_pod import DEADLINE, HOST_PATHS, MODULES
from bridgehead.core.recover.ladder import LADDER
from bridgehead.core.recover.limits import LIMITS
from bridgehead.core.recover.rung import Rung

PAGE = (Path(__file__).parents[2] / "docs" / "recover.md").read_text(encoding="utf-8")


def table(name: str) -> str:
    """What stands between the marks of a generated table."""
    return PAGE.split(f"<!-- {name}: ")[1].split("-->\n", 1)[1].split("\n<!-- end")[0]


def ladder() -> str:
    rows = ["| Cause | Rungs | Stricter |", "|---|---|---|"]
    for rule, fit in sorted(LADDER.items()):
        rungs = ", ".join(rung.value for rung in fit.rungs) or "none"
        stricter = [
            *(["R1 only while idle"] if fit.idle else []),
            *([f"back within {fit.within:.0f} s"] if fit.within < 120 else []),
            *(["R1 once a day"] if fit.a_day else []),
            *(["R1 only for an application's error"] if fit.application_only else []),
            *([f"first {fit.first}"] if fit.first else []),
            *([f"never R1: {fit.never}"] if fit.never else []),
        ]
        rows.append(f"| {rule} | {rungs} | {'; '.join(stricter)} |")
    return "\n".join(rows)


def paths() -> str:
    rows = ["| Path | Read |", "|---|---|"]
    rows += [f"| `{item.path}` | {item.read} |" for item in HOST_PATHS]
    rows.append(f"| `{MODULES}` | names of the loaded modules |")
    return "\n".join(rows)


def test_the_ladder_is_that_of_the_code() -> None:
    assert table("ladder") == ladder()


def test_the_files_are_those_that_the_pod_may_read() -> None:
    assert table("paths") == paths()


@pytest.mark.parametrize("rung", Rung)
def test_every_rung_is_in_the_first_table(rung: Rung) -> None:
    assert f"| {rung.value} | {rung.title} |" in PAGE


def test_the_figures_are_those_of_the_code() -> None:
    assert f"{LIMITS.pods_at_once} pods at once" in PAGE
    assert f"within {LIMITS.settling:.0f} s of a plugin's or a kubelet's start" in PAGE
    assert f"ends by itself after {DEADLINE} s" in PAGE
    assert (LIMITS.a_node_restarts_after, LIMITS.prunes_after) == (3600, 300)
    assert (LIMITS.dead_for, LIMITS.unsettled) == (600, 300)
