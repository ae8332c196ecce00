"""A plugin is given an argument or a variable that its version does not know.

Finds: a container of a known plugin image with a flag that the source of that version does not
have; or a variable that another version reads and this one does not.

Why: an unknown flag ends the program at once: the plugin crash-loops and the devices are gone. An
unknown variable is ignored without a word: the plugin runs with another setting than written.

Sure: run the image with --help. Versions whose source was not read are not judged.

Do: use the version that the argument was written for, or the argument of this version.
"""

from collections.abc import Iterable, Iterator, Sequence

from bridgehead.core.components.options import Options, Verdict, Version, options_of
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Path, Violation, containers
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import JsonObject, child, children, text


def _check(linted: Linted) -> Iterable[Violation]:
    for plugin in linted.plugins:
        for path, container in containers(plugin):
            known = options_of(text(container, "image"))
            if known is None:
                continue
            options, version = known
            name = f"{options.program} {'.'.join(map(str, version))}"
            for at, flag in _flags(path, container, options.program):
                if options.flag(flag, version) is Verdict.ABSENT:
                    yield Violation(
                        manifest=plugin,
                        path=at,
                        message=f"{name} has no flag --{flag}: it ends as it starts",
                    )
            for at, variable in _unread(path, container, options, version):
                yield Violation(
                    manifest=plugin,
                    path=at,
                    message=f"{name} does not read {variable}: the setting has no effect",
                    severity=Severity.WARNING,
                )


def _flags(path: Path, container: JsonObject, program: str) -> Iterator[tuple[Path, str]]:
    """The flags of the program; of any other command, or a shell's script, nothing is said."""
    command, given = _words(container, "command"), _words(container, "args")
    if command and command[0].rpartition("/")[2] != program:
        return
    for field, words in (("command", command[1:]), ("args", given)):
        for number, word in enumerate(words):
            if word == "--":
                return
            name = word.lstrip("-").partition("=")[0]
            if word.startswith("-") and name and not name[0].isdecimal():
                yield (*path, field, number + (field == "command")), name


def _unread(
    path: Path, container: JsonObject, options: Options, version: Version
) -> Iterator[tuple[Path, str]]:
    for number, item in enumerate(children(container, "env")):
        name = text(item, "name")
        if options.variable(name, version) is Verdict.ABSENT:
            yield (*path, "env", number, "name"), name


def _words(container: JsonObject, field: str) -> list[str]:
    found = child(container, field)
    listed = isinstance(found, Sequence) and not isinstance(found, str)
    return [str(item) for item in found] if listed and isinstance(found, Sequence) else []


RULE = LintRule(
    name="argument-unknown-to-version",
    severity=Severity.ERROR,
    references=("onepanelio/onepanel#789", "https://github.com/NVIDIA/k8s-device-plugin"),
    check=_check,
)
