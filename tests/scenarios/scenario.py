"""A scenario as its file says it: a cluster, a change, what happens meanwhile, how it must end.

Nodes are numbered from 0 in the order of their names. In texts, `${resource}`, `${namespace}`,
`${registry}` and `${node0}`, `${node1}`, ... stand for what a scenario learns only when it is
played: each playing has nodes, a namespace and a resource name of its own.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

Text = Annotated[str, Field(strict=True)]
NodeIndex = Annotated[int, Field(strict=True, ge=0)]
Yaml = dict[str, Any]


class Part(BaseModel):
    """A mapping of a scenario file: keys in camelCase, none but those declared."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True
    )


class NodeGiven(Part):
    """A node of the cluster. Nodes of the same `device` are a cohort."""

    device: Text = "model-a"
    labels: dict[str, Text] = {}
    taints: list[dict[str, Text]] = []
    cordoned: bool = False
    member: bool = True
    """Whether the plugin runs there from the start; a node that does not can `join`."""


class PluginGiven(Part):
    """The fake device plugin as a DaemonSet `plugin` with a container `plugin`."""

    image: Text
    devices: Annotated[int, Field(ge=0)] = 4
    labels: dict[str, Text] = {}
    annotations: dict[str, Text] = {}
    node_selector: dict[str, Text] = {}
    """Beside the scenario's own label."""


class WorkloadGiven(Part):
    """A pod that holds devices of a node, before and after."""

    node: NodeIndex
    devices: Annotated[int, Field(ge=1)] = 1
    controller: bool = False
    """Whether a ReplicaSet made it, which would make another one; one of these a node."""


class Given(Part):
    """The cluster before the rollout."""

    nodes: Annotated[list[NodeGiven], Field(min_length=1)]
    plugin: PluginGiven | None = None
    workloads: list[WorkloadGiven] = []
    objects: list[Yaml] = []


class Moment(Part):
    """A journal record: the first that agrees in all that is named."""

    step: Text
    phase: Literal["intent", "outcome", "note"] | None = None
    result: Text | None = None
    node: NodeIndex | None = None
    reason: Text | None = None
    """A part of what the record says in its detail."""


class PluginAwaited(Part):
    """Wait until the plugin pod of a node is Ready, with this image; `awaitPlugin` without: any."""

    node: NodeIndex
    image: Text | None = None


class FileGiven(Part):
    """A file below `/var/lib/scenario` of a node, which the plugin sees at the same path."""

    node: NodeIndex
    name: Annotated[str, Field(pattern=r"^[a-z0-9-]+$")]


class EditGiven(Part):
    """A change of the plugin's DaemonSet: a strategic merge patch under a field manager."""

    by: Text
    patch: Yaml


class HealingGiven(Part):
    """The plugin's manifest, put back again and again as a GitOps tool does."""

    by: Text
    image: Text
    strategy: Literal["RollingUpdate", "OnDelete"] = "RollingUpdate"


class RecordGiven(Part):
    """A merge patch of the run's record, its ConfigMap."""

    patch: Yaml


class AskGiven(Part):
    """Somebody's command beside the rollout, in a process of its own."""

    command: Text
    """With its options; the component follows the command's name by itself."""
    exit: int = 0
    by: Text | None = None
    """Another person, who may only ask; else the one who rolls out."""
    elsewhere: Literal[True] | None = None
    """By somebody else who may roll out, at another machine, with nothing but a kubeconfig."""
    says: list[Text] = []
    """Parts of what is printed."""


class Action(Part):
    """One thing that somebody does to the cluster; exactly one key."""

    delete_plugin_pod: NodeIndex | None = None
    await_plugin: PluginAwaited | None = None
    await_pod: PluginAwaited | None = None
    """Wait until there is one, Ready or not."""
    await_devices: NodeIndex | None = None
    """Wait until the node offers all devices of the plugin."""
    await_no_plugin: NodeIndex | None = None
    """Wait until the node has no plugin pod."""
    join: NodeIndex | None = None
    """The node gets the label that the plugin's nodeSelector asks for."""
    cordon: NodeIndex | None = None
    uncordon: NodeIndex | None = None
    end_workloads: NodeIndex | None = None
    """Delete the pods that hold devices of the node."""
    restart_kubelet: NodeIndex | None = None
    create_file: FileGiven | None = None
    remove_file: FileGiven | None = None
    create_pod: WorkloadGiven | None = None
    """A pod that asks for devices; nobody waits for it."""
    create: Yaml | None = None
    """An object; in the scenario's namespace where it names none."""
    delete_namespace: Literal[True] | None = None
    label_namespace: dict[str, Text] | None = None
    edit: EditGiven | None = None
    delete_component: Literal[True] | None = None
    replace_component: Literal[True] | None = None
    """Delete and create it with the same name, as `kubectl replace --force` does."""
    heal: HealingGiven | None = None
    keep_cordoned: NodeIndex | None = None
    """Ask that a node that is cordoned already stays so."""
    stop_kubelet: NodeIndex | None = None
    """Stop it and wait until its node is NotReady."""
    start_kubelet: NodeIndex | None = None
    """Start it and wait until its node is Ready."""
    restart_containerd: NodeIndex | None = None
    ask: AskGiven | None = None
    """A command of bridgehead, waited for to its end."""
    api_server_away: Annotated[int, Field(ge=1)] | None = None
    """Stop it for so many seconds. Only in `outage/`, like the next one."""
    restart_etcd: Literal[True] | None = None
    """Kill it and start it again on what it had stored."""
    edit_record: RecordGiven | None = None
    delete_record: Literal[True] | None = None
    """The ConfigMap that says what the run is; its journal stays."""
    delete_journal: Literal[True] | None = None
    """The segments of its journal; the record stays."""
    revoke_token: Literal[True] | None = None
    """Delete the account whose token the runner uses, and wait until the server knows it no more.
    """

    @model_validator(mode="after")
    def _one(self) -> "Action":
        if len(self.model_fields_set) != 1:
            raise ValueError("an action has exactly one key")
        return self


class During(Part):
    """What happens at a moment; `start` is just before the rollout begins."""

    when: Literal["start"] | Moment
    do: Annotated[list[Action], Field(min_length=1)]


class Expect(Part):
    """How it must end. What an exit code promises in general need not be written."""

    exit: int
    touched: list[NodeIndex] = []
    """Nodes whose plugin pod is another one than before."""
    gains: list[NodeIndex] = []
    loses: list[NodeIndex] = []
    """Nodes that the plugin, with all its devices, has come to, and that it has left."""
    runs: dict[Text, list[NodeIndex]] = {}
    """Which nodes run which image in the end."""
    gate: Text | list[Text] = []
    """The first gate that failed; several where it is chance which of them sees it first."""
    node: NodeIndex | None = None
    expected: Text | None = None
    seen: Text | None = None
    """Parts of what the gate expected and of what it saw."""
    evidence: Text | None = None
    """A part of a log line or event that proves it."""
    says: list[Text] = []
    """Parts of what is printed."""
    journal: list[Moment] = []
    """Records in this order, others between them."""
    refusals: list[Text] = []
    strategy: Text = "RollingUpdate"
    generation: Literal["unchanged"] | None = None
    gone: list[NodeIndex] = []
    """Nodes whose workloads have ended; everywhere else they must keep their containers."""
    leftovers: list[Text] = []
    """What is still there beside the journal: `component claimed`, `node 0 cordoned`, ..."""

    @property
    def gates(self) -> list[str]:
        """The gates of which one must have failed; none where the failure is not looked at."""
        return [self.gate] if isinstance(self.gate, str) else self.gate


class Then(Part):
    """What a person does next, at the command line, and how that must end."""

    do: list[Action] = []
    """What happens to the cluster before."""
    command: Annotated[
        str,
        Field(
            pattern=r"^(rollback|rollout|release|recover|status|pause|resume|approve|abort)( |$)"
        ),
    ]
    by: Text | None = None
    """Another person, who may only ask; else the one who rolls out."""
    elsewhere: Literal[True] | None = None
    """By somebody else who may roll out, at another machine, with nothing but a kubeconfig."""
    expect: Expect


class Scenario(Part):
    """One behaviour of the whole program on a cluster."""

    kind: Literal["Scenario"]
    says: Text
    """The behaviour, in one sentence."""
    runs_on: Annotated[list[Literal["kubelet", "kwok", "twin"]], Field(min_length=1)]
    long: bool = False
    """Played on real kubelets only by name: another scenario shows the same way there."""
    chance: Text | None = None
    """What is chance in the way to its end: why two journals of it may differ."""
    process: bool = False
    """Through the command line in a process of its own; else in this process."""
    command: Annotated[str, Field(pattern=r"^rollout( |$)")] = "rollout"
    """Its options matter in a process of its own only."""
    token: bool = False
    """Whether the rollout proves who it is by a service account's token, which can be revoked."""
    images: dict[Text, dict[str, Any]] = {}
    """Versions of the fake driver: a name such as `fake:v2`, and knobs of testbed/knobs.yaml."""
    given: Given
    manifest: PluginGiven | None = None
    """The plugin's DaemonSet as `plugin.yaml` beside the spec, for `change.manifests`."""
    spec: Yaml = {}
    """Keys of bridgehead.yaml over those that all scenarios share (see stage.py)."""
    during: list[During] = []
    expect: Expect
    then: list[Then] = []
