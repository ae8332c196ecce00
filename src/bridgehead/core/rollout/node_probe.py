"""The end of a pass: a pod of ours asks for a device, then the node's verdict is written down."""

from bridgehead.core.model.pod import Pod, requested
from bridgehead.core.rollout.commands import CreateOwnPod, DeleteOwnPod, Role
from bridgehead.core.rollout.decision import Decision, gate_note, wait
from bridgehead.core.rollout.run import Run
from bridgehead.core.rollout.state import NodeState, Work
from bridgehead.core.rollout.verdicts import gates_note, verified_note
from bridgehead.core.rollout.world import World
from bridgehead.core.verify.case import Case
from bridgehead.core.verify.probe import probe
from bridgehead.core.verify.result import GateId, GateResult, Question, Verdict, failure


def failed_pass(node: NodeState, work: Work, failed: GateResult) -> Decision:
    """The pass failed: the answer is written down, the node stays cordoned, our pods go."""
    leftovers = tuple(DeleteOwnPod(node=node.name, role=role) for role in sorted_roles(node))
    return Decision(
        notes=(gate_note("node", "failed", failed, purpose=work.purpose.value),),
        commands=leftovers,
    )


def sorted_roles(node: NodeState) -> list[Role]:
    """Roles of our own pods on a node, in a fixed order."""
    return sorted(node.own_pods, key=lambda role: role.value)


def ask_probe(
    run: Run, node: NodeState, world: World, case: Case, results: tuple[GateResult, ...]
) -> Decision:
    """After the gates: ask for a device as a user would, where one is free."""
    work = node.work
    if work is None:
        return Decision()
    if work.probe is not None:
        return _conclude(node, world, case, (*results, work.probe))
    if Role.PROBE in node.refused_pods:
        ask = Question(GateId.PROBE, node.name, "a pod that asks for one device gets it", case.now)
        why = f"the API server refuses the probe pod: {node.refused_pods[Role.PROBE]}"
        refused = ask.answer(Verdict.SKIPPED, "refused", why)
        return Decision(notes=(gate_note("node", "probed", refused),))
    pod = world.own_pod(node.name, Role.PROBE)
    if Role.PROBE not in node.own_pods:
        return _begin_probe(run, node, world, pod, case.now)
    if pod is not None and pod.deleting:
        pod = None
    settings = run.plan.spec.verify.probe
    log = world.own_logs.get(pod.uid) if pod else None
    answer = probe(pod, settings, log, node=node.name, now=case.now)
    if answer.verdict is Verdict.WAIT:
        patience = run.plan.timing.timeout
        if case.now < node.own_pods[Role.PROBE] + patience:
            return wait(f"{node.name}: probe: {answer.reason}")
        answer = answer.failed(f"not within {patience:g} s: {answer.reason}")
    return Decision(
        notes=(gate_note("node", "probed", answer),),
        commands=(DeleteOwnPod(node=node.name, role=Role.PROBE),),
    )


def _begin_probe(
    run: Run, node: NodeState, world: World, former: Pod | None, now: float
) -> Decision:
    """Create the probe, once the one of an earlier pass is gone: its answer is an old one.

    One that the journal does not know, and nobody deletes, was created by a request that seemed to
    have failed.
    """
    if former is not None and former.deleting:
        return wait(f"{node.name}: the probe of its last pass is not gone yet")
    if former is not None:
        return Decision(commands=(DeleteOwnPod(node=node.name, role=Role.PROBE),))
    pods = world.requesters.get(node.name)
    if pods is None:
        return wait(f"{node.name}: the pods that hold its devices were not read yet")
    skipped = _no_free_device(run, node, world, pods, now)
    if skipped is not None:
        return Decision(notes=(gate_note("node", "probed", skipped),))
    return Decision(commands=(CreateOwnPod(node=node.name, role=Role.PROBE),))


def _no_free_device(
    run: Run, node: NodeState, world: World, pods: tuple[Pod, ...], now: float
) -> GateResult | None:
    """Why no probe is possible; None where a device is to spare. It asks for the first resource."""
    ask = Question(GateId.PROBE, node.name, "a pod that asks for one device gets it", now)
    seen = world.nodes.get(node.name)
    if seen is None:
        return ask.answer(Verdict.FAIL, "the node is gone", "there is no node to ask for a device")
    for resource in run.plan.resources[:1]:
        offer = seen.offer(resource)
        offered = offer.allocatable if offer else 0
        used = requested(pods, resource)
        if offered - used < 1:
            why = f"no {resource} is free: {used} of {offered} are in use"
            return ask.answer(Verdict.SKIPPED, f"{offered - used} free", why)
    return None


def _conclude(
    node: NodeState, world: World, case: Case, results: tuple[GateResult, ...]
) -> Decision:
    work = node.work
    failed = failure(results)
    if work is not None and failed is not None:
        return failed_pass(node, work, failed)
    pod = case.pod
    if work is None or pod is None:
        return wait(f"{node.name}: its pod went away")
    seen = world.nodes.get(node.name)
    done = verified_note(node.name, pod, work.purpose, seen.arch if seen else "")
    return Decision(notes=(gates_note(node.name, results), done))
