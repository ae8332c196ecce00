"""A live object and a configuration for it, put together.

Source: sigs.k8s.io/structured-merge-diff/v6/typed/merge.go.
"""

from collections.abc import Iterator
from typing import Any

from bridgehead.twin.objects import Object
from bridgehead.twin.patches.comparison import by_element
from bridgehead.twin.patches.layout import ABSENT, Layout


def merged(layout: Layout, live: Object, configuration: Object) -> Object:
    """The live object with all values of the configuration. Raises ItemError."""
    result = _merged(layout, live, configuration)
    return {} if result is ABSENT else dict(result)


def _merged(layout: Layout, live: Any, configured: Any) -> Any:
    if live is ABSENT and configured is ABSENT:
        return ABSENT
    value = live if configured is ABSENT else configured
    form = layout.form(value)
    if form == "scalar" or (form == "map" and layout.atomic_map):
        return value
    if form == "list" and layout.atomic_list:
        return value
    before = live if live is not ABSENT and layout.form(live) == form else None
    if not before and (configured is ABSENT or not configured):
        return value
    after = configured if configured is not ABSENT else None
    return (_maps if form == "map" else _lists)(layout, before, after)


def _maps(layout: Layout, live: Any, configured: Any) -> Any:
    before, after = live or {}, configured or {}
    result = {}
    for name in {**before, **after}:
        child = layout.child(name)
        old, new = before.get(name, ABSENT), after.get(name, ABSENT)
        value = (old if new is ABSENT else new) if child is None else _merged(child, old, new)
        if value is not ABSENT:
            result[name] = value
    return result or ABSENT


def _lists(layout: Layout, live: Any, configured: Any) -> Any:
    """The configured items in their order, and the others where they were, as far as that goes."""
    before = [(layout.path_element(item), item) for item in live or ()]
    known = {name: items[0] for name, items in by_element(layout, live or ()).items()}
    doubled = {name for name, items in by_element(layout, live or ()).items() if len(items) > 1}
    after = {layout.path_element(item): item for item in configured or ()}
    result = []
    for name, item in _order(before, list(after)):
        old = item if name not in after else known.get(name, ABSENT)
        if name in doubled and name in after:
            old = None
        value = _merged(layout.item, old, after.get(name, ABSENT))
        if value is not ABSENT:
            result.append(value)
    return result or ABSENT


def _order(before: list[tuple[str, Any]], after: list[str]) -> Iterator[tuple[str, Any]]:
    """In which order the items of a merged list come; its live item beside each.

    Items that only the live list has keep their place between those that both have.
    """
    live_names = {name for name, _ in before}
    shared = iter([name for name in after if name in live_names])
    next_shared = next(shared, None)
    done: set[str] = set()
    left, right = 0, 0
    while left < len(before) or right < len(after):
        if left < len(before) and right < len(after):
            name = before[left][0]
            if name == after[right]:
                done.add(name)
                yield before[left]
                left, right = left + 1, right + 1
                next_shared = next(shared, None)
                continue
            if name in after and next_shared is not None and next_shared != name:
                left += 1
                continue
        if left < len(before):
            name = before[left][0]
            if name not in after:
                yield before[left]
                left += 1
                continue
            if name in done:
                left += 1
        if right < len(after):
            name = after[right]
            done.add(name)
            yield name, ABSENT
            right += 1
            if next_shared == name:
                next_shared = next(shared, None)
