"""Conditions that join several keys.

They read the document and not the models, so that each is checked for the parts that are right
while other parts are wrong. A value that its own check refuses is left to that check.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from bridgehead.core.model.durations import DurationError, duration_text, parse_duration
from bridgehead.core.model.problem import Problem
from bridgehead.core.plan.settings import DEFAULT_WAVES, VerifySettings
from bridgehead.spec.document import Document, Path, path_text
from bridgehead.spec.reserved import EXACTLY_ONE

_LISTS_WITHOUT_REPEATS: tuple[Path, ...] = (("resources",), ("cohort",), ("canary", "nodes"))


def check_conditions(document: Document) -> Iterator[Problem]:
    """All conditions that the document breaks."""
    for condition in _CONDITIONS:
        yield from condition(document)


def _exactly_one(document: Document) -> Iterator[Problem]:
    for path, choices in EXACTLY_ONE.items():
        written = document.get(*path)
        if isinstance(written, dict):
            chosen = [key for key in written if key in choices]
            if len(chosen) > 1:
                names = ", ".join(chosen)
                yield document.at_key(path, f"{path_text(path)} takes exactly one of: {names}")


def _a_change(document: Document) -> Iterator[Problem]:
    """Each key can be left out, but not all of them; one that is unknown has its own check."""
    if document.get("change") == {}:
        yield document.at_key(
            ("change",),
            "change says nothing",
            "write images: with containers and their images, or manifests: with a path",
        )


def _settle_spans_two_reports(document: Document) -> Iterator[Problem]:
    settle = _seconds(document, "settle", VerifySettings().settle)
    period = _seconds(document, "statusPeriod", VerifySettings().status_period)
    if settle is None or period is None or settle >= 2 * period:
        return
    # The one that was written is shown; the other may be a default.
    key = "settle" if document.has("verify", "settle") else "statusPeriod"
    yield document.at_value(
        ("verify", key),
        f"verify.settle ({duration_text(settle)}) is shorter than two status periods "
        f"({duration_text(period)} each): two equal looks could be one report",
        f"write a settle of {duration_text(2 * period)} or more",
    )


def _timeout_exceeds_settle(document: Document) -> Iterator[Problem]:
    timeout = _seconds(document, "timeout", None)
    settle = _seconds(document, "settle", VerifySettings().settle)
    if timeout is not None and settle is not None and timeout <= settle:
        yield document.at_value(
            ("verify", "timeout"),
            f"verify.timeout ({duration_text(timeout)}) is not longer than verify.settle "
            f"({duration_text(settle)}): no node could pass",
        )


def _waves_grow(document: Document) -> Iterator[Problem]:
    """Numbers are compared with numbers, percentages with percentages; the plan joins them."""
    largest: dict[bool, int] = {}
    for index, wave in enumerate(_waves(document)):
        share = _share(wave)
        if share is None:
            continue
        amount, is_percentage = share
        path: Path = ("waves", index, "nodes")
        if amount < largest.get(is_percentage, 0):
            before = f"{largest[is_percentage]}{'%' if is_percentage else ''}"
            yield document.at_value(
                path, f"{path_text(path)} is less than an earlier wave's {before}: it is cumulative"
            )
        largest[is_percentage] = max(amount, largest.get(is_percentage, 0))


def _last_wave_is_everything(document: Document) -> Iterator[Problem]:
    """A mixed component would be changed all at once when its former strategy is put back."""
    waves = _waves(document)
    share = _share(waves[-1]) if waves else None
    if share is not None and share != (100, True):
        path: Path = ("waves", len(waves) - 1, "nodes")
        yield document.at_value(
            path,
            f"{path_text(path)}: the last wave must be 100%, or nodes stay on the old version",
            "add a wave {nodes: 100%, parallel: N}; to leave nodes out, use nodes.exclude",
        )


def _windows_end(document: Document) -> Iterator[Problem]:
    """A window from 08:00 to 08:00 may be meant to be empty, or to be the whole day."""
    windows = document.get("windows")
    for index, window in enumerate(windows if isinstance(windows, list) else []):
        if not isinstance(window, dict) or "from" not in window:
            continue
        if window["from"] == window.get("to"):
            path: Path = ("windows", index, "to")
            yield document.at_value(
                path,
                f"{path_text(path)}: the window closes when it opens, at {window['from']}",
                'for a whole day write from: "00:00" and to: "24:00"',
            )


def _points_exist(document: Document) -> Iterator[Problem]:
    points, waves = document.get("approve"), document.get("waves")
    count = len(waves) if isinstance(waves, list) else len(DEFAULT_WAVES)
    for index, point in enumerate(points if isinstance(points, list) else []):
        number = point.get("beforeWave") if isinstance(point, dict) else None
        if isinstance(number, int) and number > count:
            path: Path = ("approve", index, "beforeWave")
            yield document.at_value(
                path, f"{path_text(path)}: there is no wave {number}, only {count}"
            )


def _no_repeats(document: Document) -> Iterator[Problem]:
    for path in _LISTS_WITHOUT_REPEATS:
        items = document.get(*path)
        seen: Counter[str] = Counter()
        for index, item in enumerate(items if isinstance(items, list) else []):
            if isinstance(item, str):
                seen[item] += 1
                if seen[item] == 2:
                    inner = (*path, index)
                    yield document.at_value(inner, f"{path_text(path)} names {item} twice")


def _seconds(document: Document, key: str, default: float | None) -> float | None:
    if not document.has("verify", key):
        return default
    value = document.get("verify", key)
    try:
        return parse_duration(value) if isinstance(value, str) else None
    except DurationError:
        return None


def _waves(document: Document) -> list[object]:
    waves = document.get("waves")
    return list(waves) if isinstance(waves, list) else []


def _share(wave: object) -> tuple[int, bool] | None:
    """The amount of a wave and whether it is a percentage; None where it is not well-formed."""
    value = wave.get("nodes") if isinstance(wave, dict) else None
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value, False
    if isinstance(value, str) and value.endswith("%") and value[:-1].isdigit() and value.isascii():
        percent = int(value[:-1])
        return (percent, True) if 1 <= percent <= 100 else None
    return None


_CONDITIONS: tuple[Callable[[Document], Iterator[Problem]], ...] = (
    _exactly_one,
    _a_change,
    _settle_spans_two_reports,
    _timeout_exceeds_settle,
    _waves_grow,
    _last_wave_is_everything,
    _windows_end,
    _points_exist,
    _no_repeats,
)
