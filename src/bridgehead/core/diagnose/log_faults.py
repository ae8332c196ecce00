"""Plugins that do not serve, by a line of their log that says why."""

from collections.abc import Iterable

import msgspec

from bridgehead.core.diagnose.ailing import Ailing, Trouble, ailing
from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.telling_lines import Quote


class LogFault(msgspec.Struct, frozen=True):
    """A post with the line; ``ailing`` is None where its container runs."""

    post: Post
    quote: Quote
    ailing: Ailing | None = None


def log_faults(scene: Scene, *keys: str) -> tuple[LogFault, ...]:
    """Posts whose log shows one of these signs last, and that crash or show too few devices.

    Of a container that crashes again and again the log of the process before counts too, even while
    the next one runs.
    """
    crashing = {_place(item.post): item for item in ailing(scene, Trouble.CRASH, Trouble.START)}
    found = []
    for post in scene.posts:
        item = crashing.get(_place(post))
        if item is None and not post.failing:
            continue
        quote = _of_crash(item, keys) if item else post.quote(*keys)
        if quote is not None:
            found.append(LogFault(post, quote, item))
    return tuple(found)


def faults_by_component(items: Iterable[LogFault]) -> list[tuple[LogFault, ...]]:
    """Those of each plugin together."""
    found: dict[str, list[LogFault]] = {}
    for item in items:
        found.setdefault(item.post.plugin.component.ref, []).append(item)
    return [tuple(each) for each in found.values()]


def crash_quotes(item: Ailing) -> list[Quote]:
    """Every sign that the logs of a crashing container show, the last line first."""
    return list(item.post.quotes_of(item.container.name))


def _of_crash(item: Ailing, keys: tuple[str, ...]) -> Quote | None:
    found = {quote.key: quote for quote in crash_quotes(item)}
    return next((found[key] for key in keys if key in found), None)


def _place(post: Post) -> tuple[str, str]:
    return post.plugin.component.ref, post.node.name
