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
from bridgehead.core.model.json import JsonObject, canonical
from bridgehead.core.plan.plan import Plan
from bridgehead.core.rollout.commands import CommandResult, Done, Failed, Position
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import KubeError, NotFound, PatchTestFailed
from bridgehead.kube.resources import DAEMON_SETS
from bridgehead.kube.writing import FIELD_MANAGER

ON_DELETE: JsonObject = {"type": "OnDelete"}
_TEMPLATE = "/spec/template"
_STRATEGY = "/spec/updateStrategy"
_ATTEMPTS = 2
"""A patch made from a fresh reading loses to a write in between at most once."""


class ComponentWrites:
    """The component of one plan, written as one holder of one run."""

    def __init__(
        self,
        kube: Kube,
        plan: Plan,
        anchor: Anchor,
        fence: Callable[[], None],
        known: int | None = None,
    ) -> None:
        """``known`` is the highest generation that is the run's; None: the one found at the claim.

        What is above it at the claim was written by somebody else while no runner lived.
        """
        self._kube = kube
        self._known = known
        self._plan = plan
        self._anchor = anchor
        self._fence = fence
        self._ref = plan.spec.component
        self._left_at: int | None = None
        """The component's generation as this holder left or claimed it; None before the claim."""
        self._made = ""
        """Digest of the template that our last flip left, where the server stored another one."""
        self._unsure = False
        """Whether a write of ours may have taken effect without our having been told."""

    async def claim(self) -> None:
        """Put the anchor on the component; a later holder of the same run raises its number.

        Raises ClaimedError where another run, or a later holder, was here first, and NotFound.
        """
        for _ in range(_ATTEMPTS):
            component = await self._read()
            if component.uid != self._plan.component_uid:
                raise ClaimedError(component.ref, f"nobody: it was replaced ({component.uid})")
            self._left_at = component.generation
            if self._known is not None:
                self._left_at = min(component.generation, self._known)
            self._unsure = False
            if component.anchor == str(self._anchor):
                return
            former = parse_anchor(component.anchor)
            if component.anchor and (former is None or not self._precedes(former)):
                raise ClaimedError(component.ref, component.anchor)
            try:
                await self._patch([*self._uid(), *_annotated(component, RUN, str(self._anchor))])
            except PatchTestFailed:
                continue
            return
        raise ClaimedError(str(self._ref), "somebody who changes it at this moment")

    def _precedes(self, former: Anchor) -> bool:
        return former.same_run(self._anchor) and former.holder < self._anchor.holder

    async def take_over(self, instead_of: JsonObject) -> CommandResult:
        """Set OnDelete, and keep the former revision and strategy in annotations.

        ``instead_of`` is the strategy that it replaces; empty: the former one.
        """
        former = self._plan.former
        kept = {
            FORMER_REVISION: f"{former.name}/{former.hash}",
            FORMER_STRATEGY: canonical(self._plan.former_strategy),
        }
        for _ in range(_ATTEMPTS):
            component = await self._read()
            there = all(component.annotations.get(name) == value for name, value in kept.items())
            if there and component.strategy_type == "OnDelete" and self._is_ours(component):
                return self._stood(component)
            if not self._as_left(component):
                break
            annotations = [
                step for name, value in kept.items() for step in _annotated(component, name, value)
            ]
            strategy = [
                test(_STRATEGY, instead_of or self._plan.former_strategy),
                replace(_STRATEGY, ON_DELETE),
            ]
            try:
                return await self._write([*self._as_ours(), *strategy, *annotations])
            except PatchTestFailed:
                continue
        return self._conflict(component)

    async def flip(self, to: Position) -> CommandResult:
        """Put the wanted template in the place of the other one.

        The target only where nothing was changed since our last write, above all not the strategy:
        under RollingUpdate the controller would carry it to every node at once. The former one
        goes in whatever else was changed, since that is what protects the nodes.
        """
        former, target = self._plan.former_template, self._plan.target_template
        wanted, other = (target, former) if to is Position.TARGET else (former, target)
        guard = self._protected() if to is Position.TARGET else self._ours()
        expected: JsonObject = other
        for _ in range(_ATTEMPTS):
            try:
                steps = [test(_TEMPLATE, expected), replace(_TEMPLATE, wanted)]
                component = component_from(await self._patch([*guard, *steps]))
                self._made = component.template_digest
                return self._written(component)
            except PatchTestFailed:
                component = await self._read()
            if not self._is_ours(component):
                break
            if component.template_digest == template_digest(wanted):
                return self._stood(component)
            if component.template_digest not in {template_digest(other), self._made}:
                break
            if to is Position.TARGET and not self._is_protected(component):
                break
            expected = component.template
        return self._conflict(component)

    async def restore_strategy(self) -> CommandResult:
        """Put the former strategy back and remove its annotations.

        Only over a template of the plan: under RollingUpdate any other would be carried to every
        node at once.
        """
        former = self._plan.former_strategy
        for _ in range(_ATTEMPTS):
            component = await self._read()
            notes = component.annotations
            kept = [name for name in (FORMER_REVISION, FORMER_STRATEGY) if name in notes]
            restored = component.strategy == former
            if restored and not kept and self._is_ours(component):
                return self._stood(component)
            if not restored and not self._is_protected(component):
                break
            if not self._has_template_of_plan(component):
                break
            strategy = [
                test(_TEMPLATE, component.template),
                test(_STRATEGY, component.strategy),
                replace(_STRATEGY, former),
            ]
            annotations = [step for name in kept for step in drop_annotation(name, notes[name])]
            try:
                return await self._write([*self._as_ours(), *strategy, *annotations])
            except PatchTestFailed:
                continue
        return self._conflict(component)

    async def let_go(self) -> CommandResult:
        """Remove the run's annotations; nothing where the component is gone or another's."""
        for _ in range(_ATTEMPTS):
            try:
                component = await self._read()
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
                return await self._write([*self._uid(), *steps])
            except PatchTestFailed:
                continue
        return self._conflict(component)

    async def selector(self) -> JsonObject:
        """The component's label selector, which cannot change."""
        return (await self._read()).selector

    async def _patch(self, operations: Sequence[JsonObject]) -> dict[str, Any]:
        try:
            return await self._kube.patch_json(
                DAEMON_SETS,
                self._ref.name,
                operations,
                namespace=self._ref.namespace,
                before_send=self._fence,
            )
        except PatchTestFailed as error:
            self._unsure |= error.repeated
            raise
        except KubeError:
            self._unsure = True
            raise

    async def _write(self, operations: Sequence[JsonObject]) -> Done:
        return self._written(component_from(await self._patch(operations)))

    def _written(self, component: Component) -> Done:
        """What our write made: it raises the generation by one, or not at all.

        Anything above that is somebody else's write, which must not pass for ours.
        """
        ours = component.generation
        if self._left_at is not None:
            ours = min(ours, self._left_at + 1)
        self._left_at = ours
        self._unsure = False
        return Done({"generation": ours})

    def _stood(self, component: Component) -> Done:
        """What is wanted is there without a write: by one of ours that went unheard, or not ours.

        Somebody may have put the former template back while no runner lived. That is theirs, and
        for a person to decide, though the effect is the wanted one.
        """
        if self._unsure or self._left_at is None:
            return self._written(component)
        self._left_at = min(component.generation, self._left_at)
        return Done({"generation": self._left_at})

    async def _read(self) -> Component:
        raw = await self._kube.get_raw(DAEMON_SETS, self._ref.name, self._ref.namespace)
        return component_from(raw)

    def _uid(self) -> list[dict[str, Any]]:
        return [test("/metadata/uid", self._plan.component_uid)]

    def _ours(self) -> list[dict[str, Any]]:
        return [*self._uid(), test(annotation_path(RUN), str(self._anchor))]

    def _as_ours(self) -> list[dict[str, Any]]:
        """Tests that nobody has changed the spec since our last write."""
        if self._left_at is None:
            return self._ours()
        return [*self._ours(), test("/metadata/generation", self._left_at)]

    def _protected(self) -> list[dict[str, Any]]:
        """Tests that besides no controller will replace pods."""
        return [*self._as_ours(), test(f"{_STRATEGY}/type", ON_DELETE["type"])]

    def _is_protected(self, component: Component) -> bool:
        return self._as_left(component) and component.strategy_type == "OnDelete"

    def _as_left(self, component: Component) -> bool:
        return self._left_at is None or component.generation == self._left_at

    def _has_template_of_plan(self, component: Component) -> bool:
        known = (self._plan.former_template, self._plan.target_template)
        return component.template_digest in map(template_digest, known)

    def _is_ours(self, component: Component) -> bool:
        same = component.uid == self._plan.component_uid
        return same and component.anchor == str(self._anchor)

    def _conflict(self, component: Component) -> Failed:
        """What was found instead of what was expected, and who wrote it."""
        if component.uid != self._plan.component_uid:
            return Failed("gone", f"{component.ref} was replaced by another object of that name")
        if component.anchor != str(self._anchor):
            now = component.anchor or "nobody"
            return Failed("conflict", f"{component.ref} is anchored to {now}, not {self._anchor}")
        who = component.last_manager(other_than=FIELD_MANAGER) or "an unnamed manager"
        return Failed("conflict", f"{component.ref} was changed by {who}")


def _annotated(component: Component, name: str, value: str) -> list[dict[str, Any]]:
    """Steps that set an annotation, also on an object that has none at all."""
    if not component.annotations:
        root = "/metadata/annotations"
        return [test(root, None), {"op": "add", "path": root, "value": {name: value}}]
    return put_annotation(name, value, component.annotations.get(name))
