"""What logs tell of plugins that offer too little: the plugin's own log, and the kubelet's."""

from collections.abc import Iterable, Mapping

import msgspec

from bridgehead.core.diagnose.post import Post
from bridgehead.core.diagnose.reach import by_plugin, listed
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.telling_lines import KUBELET, Quote, quotes_in
from bridgehead.core.findings.manifest import Doubt


class Told(msgspec.Struct, frozen=True):
    """A plugin at its post, and the line that tells what ails it."""

    post: Post
    quote: Quote


def told(scene: Scene, *keys: str, unless: Iterable[str] = ()) -> list[list[Told]]:
    """Failing posts whose log, or whose kubelet's, shows one of these signs; by plugin.

    ``unless`` are signs of the same log that tell more: they are left to their own rules.
    """
    stronger = tuple(unless)
    found: dict[str, list[Told]] = {}
    for post in scene.posts:
        if not post.failing or any(post.quote(key) for key in stronger):
            continue
        quote = post.quote(*keys)
        if quote is None or _outdated(post, quote):
            quote = kubelet_quote(scene, post, *keys)
        if quote:
            found.setdefault(post.plugin.component.ref, []).append(Told(post, quote))
    return list(found.values())


_ATTEMPTS = frozenset(
    {
        "kubelet-socket-missing",
        "kubelet-socket-denied",
        "kubelet-socket-refused",
        "dial-back-failed",
        "plugin-api-versions-differ",
        "resource-name-refused",
        "options-refused",
    }
)
"""Ends of an attempt to register: of several, only the last one still holds."""


def _outdated(post: Post, quote: Quote) -> bool:
    """Whether a later attempt of the same process has ended otherwise."""
    return quote.key in _ATTEMPTS and any(
        later.source == quote.source and later.line > quote.line
        for key, later in post.quotes.items()
        if key in _ATTEMPTS
    )


def kubelet_quote(scene: Scene, post: Post, *keys: str) -> Quote | None:
    """A line of the kubelet's log about this plugin; None where its log was not read.

    Lines that name a resource or socket of another plugin are passed over.
    """
    evidence = scene.observed.evidence.get(post.node.name)
    if evidence is None or evidence.kubelet_log is None:
        return None
    others = [name for name in post.node.offers if name not in post.names]
    mine = [
        line
        for line in kubelet_quotes(scene, post.node.name, *keys)
        if not any(name in line.text for name in others)
    ]
    return mine[-1] if mine else None


def kubelet_quotes(scene: Scene, node: str, *keys: str) -> list[Quote]:
    """Lines of a node's kubelet log that show one of these signs."""
    evidence = scene.observed.evidence.get(node)
    log = evidence.kubelet_log if evidence else None
    if log is None:
        return []
    shown: Mapping[str, Quote] = quotes_in([(f"kubelet log of {node}", log)], KUBELET)
    return [shown[key] for key in keys if key in shown]


def unread_logs(scene: Scene) -> Iterable[Doubt]:
    """That logs of plugins with too few devices were not read, if so.

    Said by one rule for all that go by logs: the same words a dozen times help nobody.
    """
    for posts in by_plugin(post for post in scene.posts if post.failing and post.names):
        missing = [post for post in posts if post.pod and not post.logs]
        if missing:
            names = listed(post.pod.ref for post in missing if post.pod)
            yield Doubt(
                why=f"the log of {names} was not read, so that no fault is known that only it tells"
            )
