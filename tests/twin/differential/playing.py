"""Plays a script against one server, and keeps what kubectl said."""

import asyncio
import os
import re
import shlex
from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec
import yaml

from testbed.parts import binary
from tests.twin.differential.masking import masked
from tests.twin.differential.script import Script, Step, filled

PATIENCE = 60.0
"""Seconds after which something that is waited for will not come any more."""


class Outcome(msgspec.Struct, frozen=True):
    """What one interaction came to, masked."""

    run: str
    exit: int
    stdout: str
    stderr: str


class Ground(msgspec.Struct, frozen=True, kw_only=True):
    """Where a script is played."""

    kubeconfig: Path
    folder: Path
    """For files of this playing, and kubectl's cache."""
    names: Mapping[str, str]
    """What ``${...}`` stands for: ``ns``, ``node0``, ``images``."""
    facts: Mapping[str, str] = {}
    """What the machine under the nodes is: ``kernel``, ``memory``; masked as the names are."""


class NotSoError(AssertionError):
    """Something did not come about that the script waits for, or a preparation failed."""


async def played(script: Script, ground: Ground) -> list[Outcome]:
    """The outcomes of the interactions, in order."""
    for name, text in script.files.items():
        file = ground.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(filled(text, ground.names))
    outcomes = []
    for step in script.steps:
        if not step.is_compared:
            await _prepare(step, ground)
            continue
        code, stdout, stderr = await _kubectl(step, ground)
        if step.until:
            stdout = stdout.partition(f"\n{step.until}")[0] + "\n"
        if step.any_order:
            stdout, stderr = _sorted(stdout), _sorted(stderr)
        names = {**ground.names, **ground.facts}
        outcomes.append(Outcome(step.run, code, masked(stdout, names), masked(stderr, names)))
    return outcomes


def use_namespace(kubeconfig: Path, namespace: str, target: Path) -> Path:
    """A copy of a kubeconfig whose context has a namespace."""
    config = yaml.safe_load(kubeconfig.read_text())
    for context in config["contexts"]:
        context["context"]["namespace"] = namespace
    target.touch(mode=0o600)
    target.write_text(yaml.safe_dump(config))
    return target


async def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for something. Raises NotSoError where it does not come about."""
    end = asyncio.get_running_loop().time() + PATIENCE
    while not condition():
        if asyncio.get_running_loop().time() > end:
            raise NotSoError(f"not so in time: {what}")
        await asyncio.sleep(0.05)


async def _prepare(step: Step, ground: Ground) -> None:
    end = asyncio.get_running_loop().time() + PATIENCE
    while True:
        code, stdout, stderr = await _kubectl(step, ground)
        done = code != 0 if step.gone else code == 0 and re.search(step.shows, stdout) is not None
        if done:
            return
        if step.quiet or asyncio.get_running_loop().time() > end:
            raise NotSoError(f"{step.run}: exit {code}\n{stdout}\n{stderr}")
        await asyncio.sleep(0.2)


async def _kubectl(step: Step, ground: Ground) -> tuple[int, str, str]:
    environment = {
        **os.environ,
        "KUBECONFIG": str(ground.kubeconfig),
        "HOME": str(ground.folder),
        "KUBECACHEDIR": str(ground.folder / "cache"),
        "KUBE_EDITOR": step.editor or "false",
        "LC_ALL": "C",
        "TZ": "UTC",
    }
    process = await asyncio.create_subprocess_exec(
        binary("kubernetes", "kubectl"),
        *shlex.split(filled(step.run, ground.names)),
        cwd=ground.folder,
        env=environment,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said = filled(step.stdin, ground.names).encode()
    try:
        async with asyncio.timeout(PATIENCE):
            stdout, stderr = await process.communicate(said)
    except TimeoutError:
        process.kill()
        await process.wait()
        raise NotSoError(f"kubectl {step.run} did not end") from None
    return process.returncode or 0, stdout.decode(), stderr.decode()


def _sorted(text: str) -> str:
    return "".join(sorted(_sorted_warning(line) for line in text.splitlines(keepends=True)))


def _sorted_warning(line: str) -> str:
    """kubectl puts what it warns of in the order of a hash."""
    start = "Warning: "
    if not line.startswith(start):
        return line
    pieces = line.removeprefix(start).rstrip("\n").split("; ")
    return f"{start}{'; '.join(sorted(pieces))}\n"
