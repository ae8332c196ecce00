"""Which nodes go when: the first canary alone, a canary of every other kind, then growing waves."""

from collections.abc import Mapping, Sequence

from bridgehead.core.inventory.cohort import Cohort
from bridgehead.core.model.node import Node
from bridgehead.core.plan.plan import Stage, StageKind
from bridgehead.core.plan.settings import RolloutSpec, Wave


def stages_of(
    spec: RolloutSpec,
    cohorts: Mapping[Cohort, tuple[Node, ...]],
    in_use: Mapping[str, int],
) -> tuple[Stage, ...]:
    """The stages of a plan; ``cohorts`` are in order, the largest first.

    Deterministic: the same nodes in the same use give the same stages.
    """
    canaries = _canaries(spec, cohorts, in_use)
    if not canaries:
        return ()
    first, others = canaries[0], tuple(canaries[1:])
    wave = spec.waves[0]
    stages = [_canary_stage("canary", (first,), 1, spec)]
    if others:
        stages.append(_canary_stage("other canaries", others, wave.parallel, spec))
    order = _spread(cohorts, set(canaries))
    done = len(canaries)
    total = done + len(order)
    for number, wave in enumerate(spec.waves, 1):
        upto = max(wave.nodes.of(total), done)
        nodes = tuple(order[done - len(canaries) : upto - len(canaries)])
        if nodes:
            stages.append(_wave(number, nodes, wave, spec))
        done = upto
    return tuple(stages)


def _canary_stage(name: str, nodes: tuple[str, ...], parallel: int, spec: RolloutSpec) -> Stage:
    return Stage(
        name,
        StageKind.CANARY,
        nodes,
        parallel,
        Wave(spec.waves[0].nodes, parallel).unproven(spec.unproven),
        spec.verify.soak.canary,
    )


def _wave(number: int, nodes: tuple[str, ...], wave: Wave, spec: RolloutSpec) -> Stage:
    return Stage(
        f"wave {number}",
        StageKind.WAVE,
        nodes,
        wave.parallel,
        wave.unproven(spec.unproven),
        spec.verify.soak.wave,
    )


def _canaries(
    spec: RolloutSpec,
    cohorts: Mapping[Cohort, tuple[Node, ...]],
    in_use: Mapping[str, int],
) -> list[str]:
    """Canaries in order, the largest cohort's first; named ones before chosen ones."""
    chosen: list[str] = []
    for nodes in cohorts.values():
        named = [node.name for node in nodes if node.name in spec.canary.nodes]
        rest = _preferred([node for node in nodes if node.name not in named], spec, in_use)
        wanted = max(spec.canary.per_cohort, len(named))
        chosen.extend([*named, *rest][:wanted])
    return chosen


def _preferred(nodes: Sequence[Node], spec: RolloutSpec, in_use: Mapping[str, int]) -> list[str]:
    """Nodes that take pods and hold the fewest devices first: they cost least and can be probed."""
    avoid = spec.canary.avoid

    def cost(node: Node) -> tuple[bool, bool, int, str]:
        avoided = avoid is not None and avoid.matches(node.labels)
        return (avoided, node.unschedulable, in_use.get(node.name, 0), node.name)

    return [node.name for node in sorted(nodes, key=cost)]


def _spread(cohorts: Mapping[Cohort, tuple[Node, ...]], taken: set[str]) -> list[str]:
    """The other nodes, cohorts taking turns in proportion, so that no wave is of one kind only."""
    ranked: list[tuple[float, int, str]] = []
    for number, nodes in enumerate(cohorts.values()):
        left = [node.name for node in nodes if node.name not in taken]
        ranked.extend(((place + 0.5) / len(left), number, name) for place, name in enumerate(left))
    return [name for _, _, name in sorted(ranked)]
