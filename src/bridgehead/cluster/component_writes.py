"""The writes to the component: claim it, take it over, flip its template, give it back.

Each is one JSON patch that tests what it expects. Where a test does not hold, the component is read
to tell three cases apart: the effect is there already (a repeat), the expectation was right but
written otherwise (a server that was upgraded meanwhile), or somebody else was here.
"""

from collections.abc import Callable, Sequence
from typing import Any

from bridgehead.cluster.anchor import (
    OURS,
    Anchor,
    annotation_path,
    drop_annotation,
    parse_anchor,
    put_annotation,
    replace,
    test,
)
from bridgehead.cluster.convert import component_from
from bridgehead.cluster.errors import ClaimedError
from bridgehead.core.model.component import (
    FORMER_REVISION,
    FORMER_STRATEGY,
    RUN,
    Component,
    template_digest,
)
from bridgehead.core.model.json import JsonObject, canonical, children, text
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.commands import CommandResult, Done, Failed, Position
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import NotFound, PatchTestFailed
from bridgehead.kube.resources import DAEMON_SETS
from bridgehead.kube.writing import FIELD_MANAGER

ON_DELETE: JsonObject = {"type": "OnDelete"}
_TEMPLATE = "/spec/template"
_STRATEGY = "/spec/updateStrategy"
_ATTEMPTS = 2
"""A patch made from a fresh reading loses to a write in between at most once."""


class ComponentWrites:
    """The component of one plan, written as one holder of one run."""

    def __init__(self, kube: Kube, plan: Plan, anchor: Anchor, fence: Callable[[], None]) -> None:
        self._kube = kube
        self._plan = plan
        self._anchor = anchor
        self._fence = fence
        self._ref = plan.spec.component

    async def claim(self) -> None:
        """Put the anchor on the component; a later holder of the same run raises its number.

        Raises ClaimedError where another run, or a later holder, was here first, and NotFound.
        """
        for _ in range(_ATTEMPTS):
            raw, component = await self._read()
            if component.uid != self._plan.component_uid:
                raise ClaimedError(component.ref, f"nobody: it was replaced ({component.uid})")
            if component.anchor == str(self._anchor):
                return
            former = parse_anchor(component.anchor)
            if component.anchor and (former is None or not self._precedes(former)):
                raise ClaimedError(component.ref, component.anchor)
            try:
                await self._patch([*self._uid(), *_annotated(raw, RUN, str(self._anchor))])
            except PatchTestFailed:
                continue
            return
        raise ClaimedError(str(self._ref), "somebody who changes it at this moment")

    def _precedes(self, former: Anchor) -> bool:
        return former.same_run(self._anchor) and former.holder < self._anchor.holder

    async def take_over(self) -> CommandResult:
        """Set OnDelete, and keep the former revision and strategy in annotations."""
        former = self._plan.former
        kept = {
            FORMER_REVISION: f"{former.name}/{former.hash}",
            FORMER_STRATEGY: canonical(self._plan.former_strategy),
        }
        for _ in range(_ATTEMPTS):
            raw, component = await self._read()
            there = all(component.annotations.get(name) == value for name, value in kept.items())
            if there and component.strategy_type == "OnDelete" and self._is_ours(component):
                return _done(component)
            annotations = [
                step for name, value in kept.items() for step in _annotated(raw, name, value)
            ]
            strategy = [
                test(_STRATEGY, self._plan.former_strategy),
                replace(_STRATEGY, ON_DELETE),
            ]
            try:
                return _generation(await self._patch([*self._ours(), *strategy, *annotations]))
            except PatchTestFailed:
                continue
        return self._conflict(raw, component)

    async def flip(self, to: Position) -> CommandResult:
        """Put the wanted template in the place of the other one."""
        former, target = self._plan.former_template, self._plan.target_template
        wanted, other = (target, former) if to is Position.TARGET else (former, target)
        expected: JsonObject = other
        for _ in range(_ATTEMPTS):
            try:
                steps = [test(_TEMPLATE, expected), replace(_TEMPLATE, wanted)]
                return _generation(await self._patch([*self._ours(), *steps]))
            except PatchTestFailed:
                raw, component = await self._read()
            if not self._is_ours(component):
                break
            if component.template_digest == template_digest(wanted):
                return _done(component)
            if component.template_digest != template_digest(other):
                break
            expected = component.template
        return self._conflict(raw, component)

    async def restore_strategy(self) -> CommandResult:
        """Put the former strategy back and remove its annotations."""
        former = self._plan.former_strategy
        for _ in range(_ATTEMPTS):
            raw, component = await self._read()
            notes = component.annotations
            kept = [name for name in (FORMER_REVISION, FORMER_STRATEGY) if name in notes]
            restored = component.strategy == former
            if restored and not kept and self._is_ours(component):
                return _done(component)
            if not restored and component.strategy_type != "OnDelete":
                break
            strategy = [test(_STRATEGY, component.strategy), replace(_STRATEGY, former)]
            annotations = [step for name in kept for step in drop_annotation(name, notes[name])]
            try:
                return _generation(await self._patch([*self._ours(), *strategy, *annotations]))
            except PatchTestFailed:
                continue
        return self._conflict(raw, component)

    async def let_go(self) -> CommandResult:
        """Remove the run's annotations; nothing where the component is gone or another's."""
        for _ in range(_ATTEMPTS):
            try:
                raw, component = await self._read()
            except NotFound:
                return Done({"gone": True})
            found = parse_anchor(component.anchor)
            if component.uid != self._plan.component_uid or found is None:
                return Done({"gone": True})
            if not found.same_run(self._anchor):
                return Done({"anchor": component.anchor})
            if found != self._anchor:
                break
            steps = [
                step
                for name in OURS
                if name in component.annotations
                for step in drop_annotation(name, component.annotations[name])
            ]
            try:
                return _generation(await self._patch([*self._uid(), *steps]))
            except PatchTestFailed:
                continue
        return self._conflict(raw, component)

    async def selector(self) -> JsonObject:
        """The component's label selector, which cannot change."""
        _, component = await self._read()
        return component.selector

    async def _patch(self, operations: Sequence[JsonObject]) -> dict[str, Any]:
        return await self._kube.patch_json(
            DAEMON_SETS,
            self._ref.name,
            operations,
            namespace=self._ref.namespace,
            before_send=self._fence,
        )

    async def _read(self) -> tuple[dict[str, Any], Component]:
        raw = await self._kube.get_raw(DAEMON_SETS, self._ref.name, self._ref.namespace)
        return raw, component_from(raw)

    def _uid(self) -> list[dict[str, Any]]:
        return [test("/metadata/uid", self._plan.component_uid)]

    def _ours(self) -> list[dict[str, Any]]:
        return [*self._uid(), test(annotation_path(RUN), str(self._anchor))]

    def _is_ours(self, component: Component) -> bool:
        same = component.uid == self._plan.component_uid
        return same and component.anchor == str(self._anchor)

    def _conflict(self, raw: JsonObject, component: Component) -> Failed:
        """What was found instead of what was expected, and who wrote it."""
        if component.uid != self._plan.component_uid:
            return Failed("gone", f"{component.ref} was replaced by another object of that name")
        if component.anchor != str(self._anchor):
            now = component.anchor or "nobody"
            return Failed("conflict", f"{component.ref} is anchored to {now}, not {self._anchor}")
        who = foreign_manager(raw) or "an unnamed manager"
        return Failed("conflict", f"{component.ref} was changed by {who}")


def foreign_manager(raw: JsonObject) -> str:
    """The manager other than us that wrote the object last; writers of its status do not count."""
    others = [
        (text(entry, "time"), text(entry, "manager"))
        for entry in children(raw, "metadata", "managedFields")
        if text(entry, "manager") != FIELD_MANAGER and not text(entry, "subresource")
    ]
    return max(others, default=("", ""))[1]


def _annotated(raw: dict[str, Any], name: str, value: str) -> list[dict[str, Any]]:
    """Steps that set an annotation, also on an object that has none at all."""
    annotations = raw.get("metadata", {}).get("annotations")
    if annotations is None:
        root = "/metadata/annotations"
        return [test(root, None), {"op": "add", "path": root, "value": {name: value}}]
    return put_annotation(name, value, annotations.get(name))


def _generation(raw: dict[str, Any]) -> Done:
    return _done(component_from(raw))


def _done(component: Component) -> Done:
    return Done({"generation": component.generation})
