"""What people ask of a run at the command line, in processes of their own."""

import os
from pathlib import Path

from testbed.api import Api
from tests.scenarios.access import grant
from tests.scenarios.ground import Typed
from tests.scenarios.scenario import AskGiven, Then
from tests.scenarios.stage import Stage, UnfitStageError

LONGEST = 120
"""Seconds after which a command counts as hanging."""

RULES = {
    "component": [{"apiGroups": ["apps"], "resources": ["daemonsets"], "verbs": ["get"]}],
    "state": [
        {"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get", "list", "patch"]},
        {"apiGroups": ["coordination.k8s.io"], "resources": ["leases"], "verbs": ["get"]},
    ],
}
"""What somebody needs who asks and does not run: docs/guide.md says so."""


def ask(stage: Stage, given: AskGiven) -> None:
    """Run the command to its end. Raises UnfitStageError where it does not end as expected."""
    done = stage.cluster.command(as_typed(stage, given), timeout=LONGEST)
    said = done.out + done.err
    if done.exit != given.exit:
        raise UnfitStageError(f"{given.command}: exit {done.exit}, not {given.exit}: {said}")
    for words in given.says:
        if stage.fill(words) not in said:
            raise UnfitStageError(f"{given.command}: what is printed lacks {words!r}: {said}")


def as_typed(stage: Stage, given: AskGiven | Then) -> Typed:
    """The command with all of its options, or without any at another machine."""
    words = command_line(stage, given.command)
    if given.elsewhere:
        return _at_another_machine(stage, words)
    return Typed([*words, *options(stage, given.by)])


def _at_another_machine(stage: Stage, words: list[str]) -> Typed:
    """Another host name, home, folder, environment and time zone.

    The kubeconfig is where it always is. Where runs are kept is not told: the component says so.
    """
    home = stage.folder / "elsewhere"
    config = home / ".kube" / "config"
    if not home.exists():
        grant(stage.cluster.api, stage.colleague, stage.component_ref, stage.state_namespace)
        config.parent.mkdir(parents=True)
        config.touch(mode=0o600)
        config.write_bytes(stage.cluster.user_kubeconfig(stage.colleague).read_bytes())
    environment = {"HOME": str(home), "PATH": os.defpath, "TZ": "Pacific/Kiritimati"}
    return Typed(words, home, environment, host="elsewhere")


def command_line(stage: Stage, command: str) -> list[str]:
    """A command as it is typed: about the component, or about the spec file."""
    name, *rest = stage.fill(command).split()
    subject = [str(stage.component_ref)]
    if name == "rollout" or "-f" in rest:
        spec = stage.folder / "bridgehead.yaml"
        spec.write_text(stage.spec_text)
        subject, rest = ["-f", str(spec)], [item for item in rest if item != "-f"]
    return [name, *subject, *rest]


def options(stage: Stage, by: str | None) -> list[str]:
    """As whom, and where runs are kept."""
    return [
        *("--kubeconfig", str(kubeconfig(stage, by))),
        *("--state-namespace", stage.state_namespace),
    ]


def kubeconfig(stage: Stage, by: str | None) -> Path:
    """The runner's, or that of somebody who may only ask."""
    if by is None:
        return stage.cluster.user_kubeconfig(stage.user)
    user = f"{by}-{stage.namespace}"
    _allow(stage.cluster.api, user, "component", stage.namespace)
    _allow(stage.cluster.api, user, "state", stage.state_namespace)
    return stage.cluster.user_kubeconfig(user)


def _allow(api: Api, user: str, what: str, namespace: str) -> None:
    group = "rbac.authorization.k8s.io"
    path = f"/apis/{group}/v1/namespaces/{namespace}"
    name = {"metadata": {"name": user}}
    role = {"apiGroup": group, "kind": "Role", "name": user}
    subject = {"apiGroup": group, "kind": "User", "name": user}
    api.create(f"{path}/roles", {**name, "rules": RULES[what]})
    api.create(f"{path}/rolebindings", {**name, "roleRef": role, "subjects": [subject]})
