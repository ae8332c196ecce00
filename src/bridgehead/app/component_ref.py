"""What a command is about: a component, a run of it, or a spec file's component."""

import msgspec

from bridgehead.core.plan.settings import ComponentKind, ComponentRef


class BadReferenceError(ValueError):
    """A text that names no component; the message says how to write one."""


class RunName(msgspec.Struct, frozen=True):
    """A run by its name."""

    name: str


def parse_subject(text: str) -> ComponentRef | RunName:
    """``daemonset/NAMESPACE/NAME`` or the name of a run. Raises BadReferenceError."""
    if "/" not in text:
        return RunName(text)
    return parse_component(text)


def parse_component(text: str) -> ComponentRef:
    """``daemonset/NAMESPACE/NAME``. Raises BadReferenceError."""
    parts = text.split("/")
    kinds = {"daemonset", "daemonsets", "ds"}
    if len(parts) != 3 or parts[0].lower() not in kinds or not all(parts):
        raise BadReferenceError(f"{text} names no component: write daemonset/NAMESPACE/NAME")
    return ComponentRef(ComponentKind.DAEMON_SET, parts[1], parts[2])
