"""Which program a container runs: by its image, its command, and what it mounts."""

from collections.abc import Mapping, Sequence

from bridgehead.core.components.family import family_of_images
from bridgehead.twin.nodes.devices.folder import PATH
from bridgehead.twin.nodes.driver.driver import Driver
from bridgehead.twin.nodes.driver.knobs import environment
from bridgehead.twin.nodes.images import Image
from bridgehead.twin.nodes.programs.process import Deaf, Hold, Process, Surroundings
from bridgehead.twin.nodes.programs.shell import Shell, Step, script_of
from bridgehead.twin.objects import Object, items, text

_FAKE_DRIVER = "/fakedriver"


def command_of(container: Object) -> list[str]:
    """What it is told to run; empty for what its image says."""
    command = list(items(container, "command"))
    return [*command, *items(container, "args")] if command else []


def missing_command(container: Object, image: Image) -> str:
    """The command that the image does not hold; empty where it can be run."""
    command = command_of(container)
    if not command:
        return ""
    first = str(command[0])
    if image.commands is None:
        absent = first.rpartition("/")[2].startswith(".")
    else:
        absent = first not in image.commands
    return first if absent else ""


def process_environment(image: Image, own: Mapping[str, str]) -> dict[str, str]:
    """Environment of a process: the container's own over that of its image."""
    return {**image.environment, **environment(image.knobs), **own}


def is_plugin(pod: Object, container: Object, image: Image) -> bool:
    """Whether it is a device plugin."""
    if image.program:
        return image.program == "plugin"
    if family_of_images([text(container, "image")]).resources:
        return True
    return mounts_plugins(pod, container)


def mounts_plugins(pod: Object, container: Object) -> bool:
    """Whether the kubelet's folder of plugins can be seen from inside."""
    paths = {
        text(volume, "name"): text(volume, "hostPath", "path").rstrip("/")
        for volume in items(pod, "spec", "volumes")
    }
    mounted = [paths.get(text(item, "name"), "") for item in items(container, "volumeMounts")]
    return any(path and (path == PATH or PATH.startswith(f"{path}/")) for path in mounted)


def program(around: Surroundings, pod: Object, container: Object, image: Image) -> Process:
    """The program as a process that has not begun."""
    command: Sequence[str] = command_of(container)
    if command and command[0] == _FAKE_DRIVER:
        holds = command[1:2] == ["hold"]
        return Hold(around) if holds else Driver(around, text(container, "image"))
    if command:
        script = script_of(command)
        return Deaf(around) if script is None else Shell(around, script)
    if image.program == "hold":
        return Hold(around)
    if image.program == "run":
        return Shell(around, [Step(seconds=image.duration, code=image.exit_code)])
    if is_plugin(pod, container, image):
        return Driver(around, text(container, "image"))
    return Process(around)
