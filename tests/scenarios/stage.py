"""Where a scenario is played: leased nodes, a namespace and names of its own."""

import string
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from bridgehead.core.plan.settings import ComponentKind, ComponentRef
from testbed.fake_images import REGISTRY
from tests.scenarios.ground import Ground, Machine
from tests.scenarios.scenario import Scenario

SHARED_SPEC: Mapping[str, Any] = {
    "cohort": ["device"],
    "verify": {
        "settle": "3s",
        "statusPeriod": "1s",
        "statusPeriodUnchecked": True,
        "timeout": "20s",
        "soak": {"canary": "3s", "wave": "1s"},
    },
    "lock": {"duration": "15s"},
}
"""What all scenarios' specs hold unless they say otherwise.

The kubelets report every second. A lock shorter than this is lost where all tests run at a time.
"""

ACCOUNT = "runner"
"""Name of the service account whose token a rollout may use."""

HOLD = "hold:v1"
"""Image of the workloads."""


class UnfitStageError(Exception):
    """The cluster that a scenario asks for did not come about, or a command did not end."""


@dataclass(frozen=True)
class Stage:
    """One playing of one scenario."""

    cluster: Ground
    scenario: Scenario
    nodes: tuple[Machine, ...]
    """By name: the plan's order among equal nodes."""
    namespace: str
    folder: Path
    """For files of this playing."""
    administrator: bool = False
    """Whether bridgehead may do everything, and makes the state namespace itself."""

    @property
    def state_namespace(self) -> str:
        """Where the run's state goes."""
        return f"{self.namespace}-state"

    @property
    def user(self) -> str:
        """As whom bridgehead writes, so that the audit log tells its writes from others."""
        return f"scenario-{self.namespace}"

    @property
    def colleague(self) -> str:
        """As whom it writes at another machine."""
        return f"colleague-{self.namespace}"

    @property
    def account(self) -> str:
        """As whom it writes where it proves that by a token."""
        return f"system:serviceaccount:{self.state_namespace}:{ACCOUNT}"

    @property
    def kubeconfig(self) -> Path:
        """The rollout's; further commands are always the user's."""
        if self.scenario.token:
            return self.folder / "token.kubeconfig"
        return self.cluster.user_kubeconfig(self.user)

    @property
    def resource(self) -> str:
        """What the plugin offers."""
        return f"{self.namespace}.test/device"

    @cached_property
    def members(self) -> tuple[int, ...]:
        """Nodes on which the plugin runs from the start."""
        plugin = self.scenario.given.plugin
        if plugin is None:
            return ()
        wanted = plugin.node_selector.items()
        nodes = enumerate(self.scenario.given.nodes)
        return tuple(n for n, node in nodes if node.member and wanted <= node.labels.items())

    @property
    def component_ref(self) -> ComponentRef:
        """What the rollout changes, unless the scenario names another component."""
        return ComponentRef(ComponentKind.DAEMON_SET, self.namespace, "plugin")

    @property
    def label(self) -> dict[str, str]:
        """The label of nodes on which the plugin runs; two stages may share nodes."""
        return {f"{self.namespace}.scenario.test/member": "true"}

    def path(self, kind: str, name: str = "") -> str:
        """The API's path of one of the scenario's objects, or of all of that kind."""
        group = "apis/apps/v1" if kind in {"daemonsets", "replicasets"} else "api/v1"
        return f"/{group}/namespaces/{self.namespace}/{kind}" + (f"/{name}" if name else "")

    def image(self, name: str) -> str:
        """The whole name of one of the scenario's images; any other is whole already."""
        known = name in self.scenario.images or name == HOLD
        return f"{REGISTRY}/{self.namespace}/{name}" if known else name

    def fill(self, value: Any) -> Any:
        """The value with what is known only now: `${resource}` and the like, names of images."""
        if isinstance(value, str):
            return self.image(string.Template(value).substitute(self._names))
        if isinstance(value, dict):
            return {self.fill(key): self.fill(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.fill(inner) for inner in value]
        return value

    @cached_property
    def spec_text(self) -> str:
        """The scenario's bridgehead.yaml."""
        own = {
            "apiVersion": "bridgehead.dev/v1alpha1",
            "kind": "Rollout",
            "metadata": {"name": self.namespace},
            "component": {"daemonSet": {"namespace": self.namespace, "name": "plugin"}},
        }
        merged = _merged(_merged(own, SHARED_SPEC), self.fill(self.scenario.spec))
        return str(yaml.safe_dump(merged, sort_keys=False))

    @cached_property
    def _names(self) -> dict[str, str]:
        return {
            "resource": self.resource,
            "namespace": self.namespace,
            "registry": self.cluster.registry_address,
            **{f"node{number}": node.name for number, node in enumerate(self.nodes)},
        }


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both mappings, `over` deciding, mapping by mapping."""
    result = dict(under)
    for key, value in over.items():
        both = isinstance(value, Mapping) and isinstance(result.get(key), Mapping)
        result[key] = _merged(result[key], value) if both else value
    return result
