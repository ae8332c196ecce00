"""The ways on from a run that stopped for a person, as commands that can be pasted."""

import json
import re
import shlex
from itertools import pairwise

from bridgehead.core.plan.settings import ComponentRef
from bridgehead.core.rollout.state import Mode, Stray

_OF_KUBECTL = ("--kubeconfig", "--context")
"""Options that name a cluster to kubectl as they do to us."""
_KUBECTL = re.compile(r"(?:^|(?<=&& )|(?<=\| )|(?<=; )|(?<=\())kubectl(?= )")
"""The word where a command begins, and nowhere inside of one."""


def after_foreign_change(ref: ComponentRef, stray: Stray, mode: Mode, where: str) -> str:
    """What to do once somebody else has written the component, by what stands now.

    What is of the run's plan is gone on from; what is not has to be put back by a person first, or
    the run is given up and it stays.
    """
    if not stray.in_the_way:
        return either_way(ref, mode, where)
    undone = " && ".join(_put_back(ref, stray, where))
    return (
        f"{undone}, then: {either_way(ref, mode, where)}; "
        f"or give the run up and leave what stands: bridgehead release {ref}{where}"
    )


def either_way(ref: ComponentRef, mode: Mode, where: str) -> str:
    """On or back, with a run that nothing keeps from it; one that goes back only goes back."""
    back = f"bridgehead rollback {ref}{where}"
    if mode is Mode.BACK:
        return back
    return f"go on: bridgehead resume {ref}{where}; take all back: {back}"


def by_its_name(ways: str, ref: str, run: str, undoes: str) -> str:
    """The ways on from a run; one that ``undoes`` another is taken back only where it is named."""
    if not undoes:
        return ways
    return ways.replace(f"bridgehead rollback {ref}", f"bridgehead rollback {run}")


def once_mended(ref: ComponentRef, mode: Mode, where: str) -> str:
    """After a node is mended: a run that goes back looks at it again and gives it back itself."""
    release = f"bridgehead release {ref}{where}"
    if mode is not Mode.BACK:
        return release
    return f"bridgehead rollback {ref}{where}; give up: {release}"


def _put_back(ref: ComponentRef, stray: Stray, where: str) -> list[str]:
    """What a person has to do to the component itself."""
    at = f"-n {ref.namespace}{for_kubectl(where)}"
    steps = []
    if stray.template and stray.undo_to:
        undo = f"kubectl rollout undo ds/{ref.name} --to-revision={stray.undo_to}"
        steps.append(f"{undo} {at}")
    elif stray.template:
        steps.append("put the template back that was there before")
    if stray.strategy:
        value = {"op": "replace", "path": "/spec/updateStrategy", "value": stray.strategy}
        patch = shlex.quote(json.dumps([value], separators=(",", ":")))
        steps.append(f"kubectl patch ds/{ref.name} --type=json -p {patch} {at}")
    return steps


def for_kubectl(where: str) -> str:
    """Those of our options that kubectl needs as well, so that it writes to the same cluster."""
    words = shlex.split(where)
    return "".join(
        f" {option} {shlex.quote(value)}"
        for option, value in pairwise(words)
        if option in _OF_KUBECTL
    )


def aimed(command: str, where: str) -> str:
    """A command of kubectl's, or several, with our options, so that it goes to the same cluster."""
    named = for_kubectl(where)
    return _KUBECTL.sub(lambda found: f"{found[0]}{named}", command)
