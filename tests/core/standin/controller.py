"""The component of the stand-in and its DaemonSet controller."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.component import Component, Revision, template_digest
from bridgehead.core.model.json import JsonObject
from tests.core.standin.pods import NAMESPACE

IMAGE = "registry.test/plugin"
ON_DELETE: JsonObject = {"type": "OnDelete"}
ROLLING: JsonObject = {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}}


def template_of(tag: str, **selector: str) -> JsonObject:
    """The pod template with one version of the plugin, for nodes with these labels."""
    spec: JsonObject = {"containers": [{"name": "plugin", "image": f"{IMAGE}:{tag}"}]}
    return {"spec": {**spec, "nodeSelector": selector} if selector else spec}


def hash_of(template: JsonObject) -> str:
    """The hash that the controller would give to the template."""
    return template_digest(template).removeprefix("sha256:")[:8]


@dataclass
class DaemonSet:
    """The stored object, and how much of it the controller has seen."""

    template: JsonObject
    strategy: JsonObject
    uid: str = "ds-1"
    generation: int = 1
    annotations: dict[str, str] = field(default_factory=dict)
    managers: dict[str, float] = field(default_factory=lambda: {"kubectl": 0.0})
    """Who has written it, and when, newest last."""
    lag: float = 0.5
    makes_revisions: bool = True
    written: float = 0.0
    seen_generation: int = 1
    seen_template: JsonObject = field(default_factory=dict)
    seen_strategy: JsonObject = field(default_factory=dict)
    revisions: list[Revision] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.observe()

    def write(
        self,
        now: float,
        manager: str,
        *,
        template: JsonObject | None = None,
        strategy: JsonObject | None = None,
    ) -> int:
        """A write of the spec; the generation rises only where it changes something."""
        before = (self.template, self.strategy)
        self.template = template if template is not None else self.template
        self.strategy = strategy if strategy is not None else self.strategy
        if before != (self.template, self.strategy):
            self.generation += 1
            self.written = now
        self.managers.pop(manager, None)
        self.managers[manager] = now
        return self.generation

    def tick(self, now: float) -> None:
        if self.generation > self.seen_generation and now >= self.written + self.lag:
            self.observe()

    def observe(self) -> None:
        """The controller has seen the object: its revision exists and is the newest."""
        self.seen_generation = self.generation
        self.seen_template, self.seen_strategy = self.template, self.strategy
        if not self.makes_revisions:
            return
        digest = template_digest(self.template)
        number = max((item.number for item in self.revisions), default=0) + 1
        self.revisions = [item for item in self.revisions if item.template_digest != digest]
        name = hash_of(self.template)
        self.revisions.append(Revision(f"plugin-{name}", name, number, digest))

    def value(self, annotations: Mapping[str, str]) -> Component:
        return Component(
            namespace=NAMESPACE,
            name="plugin",
            uid=self.uid,
            generation=self.generation,
            observed_generation=self.seen_generation,
            template=self.template,
            strategy=self.strategy,
            selector={},
            annotations=dict(annotations),
            managers=tuple((name, stamp(at)) for name, at in self.managers.items()),
        )
