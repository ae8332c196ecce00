"""An option of a plugin has a value that the plugin does not know.

Finds: NVIDIA's plugin with a value of a closed set that is none of it, as argument, variable or in
a configuration file: a MIG, device list, device id or discovery strategy, or a switch that is
neither true nor false.

Why: the plugin ends as it starts, with "unknown MIG strategy", "invalid option" or "could not parse
as bool". It crash-loops on all its nodes and the devices are gone.

Sure: run the image with --help, which lists the values.

Do: write one of the values that the option takes.
"""

from collections.abc import Iterable, Iterator, Mapping

from bridgehead.core.components.family import family_of, plugin_containers
from bridgehead.core.components.option_values import CLOSED, ClosedOption
from bridgehead.core.findings.configurations import configurations
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Path, Violation, containers
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import JsonObject, child, children, text


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        known = CLOSED.get(family_of(plugin.template).name, ())
        running = plugin_containers(plugin.template) if known else ()
        for path, container in containers(plugin):
            if container in running:
                yield from _of_container(plugin, path, container, known)
    for found in configurations(linted):
        for option in CLOSED.get(found.form.family, ()):
            if bad := option.refused_in_file(child(found.value, *option.key)):
                name = f"{found.key}: {'.'.join(option.key)}"
                yield _violation(found.manifest, found.path, (name, bad), option)


def _of_container(
    plugin: Manifest, path: Path, container: JsonObject, known: Iterable[ClosedOption]
) -> Iterator[Violation]:
    flags = {option.flag: option for option in known}
    variables = {option.env: option for option in known}
    for at, flag, value in _flags(path, container, flags):
        if bad := _refused(flags[flag], value):
            yield _violation(plugin, at, (f"--{flag}", bad), flags[flag])
    for number, entry in enumerate(children(container, "env")):
        option = variables.get(text(entry, "name"))
        if option is not None and (bad := _refused(option, text(entry, "value"))):
            at = (*path, "env", number, "value")
            yield _violation(plugin, at, (option.env, bad), option)


def _flags(
    path: Path, container: JsonObject, flags: Mapping[str, ClosedOption]
) -> Iterator[tuple[Path, str, str]]:
    """Where each of the flags is given, and its value. A switch takes none but behind ``=``."""
    for field in ("command", "args"):
        found = child(container, field)
        words = [str(item) for item in found] if isinstance(found, list) else []
        for number, word in enumerate(words):
            name, equals, value = word.lstrip("-").partition("=")
            if not word.startswith("-") or name not in flags:
                continue
            if equals:
                yield (*path, field, number), name, value
            elif flags[name].values and number + 1 < len(words):
                yield (*path, field, number + 1), name, words[number + 1]


def _refused(option: ClosedOption, value: str) -> str:
    """What is composed from elsewhere is not judged."""
    return "" if "$(" in value else option.refused(value)


def _violation(
    manifest: Manifest, path: Path, written: tuple[str, str], option: ClosedOption
) -> Violation:
    name, value = written
    return Violation(
        manifest=manifest,
        path=path,
        message=f"{name} is {value}, which the plugin does not know: it ends as it starts",
        remedy=f"write {option.choice}",
    )


RULE = LintRule(
    name="option-value-unknown",
    severity=Severity.ERROR,
    references=(
        "https://github.com/NVIDIA/k8s-device-plugin",
        "https://pkg.go.dev/strconv#ParseBool",
    ),
    check=_check,
)
