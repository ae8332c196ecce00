"""A key of a plugin's configuration has no effect, and the plugin offers something else.

Finds: keys of a plugin's configuration in the cluster that its version does not know, knows only in
another section, or knows only from a later version on.

Why: the plugin passes over them without a word and runs with other settings than written: devices
are not shared, or they have another name than the one that pods wait for.

Sure: the plugin prints the configuration that it understood as it starts; the key is not in it.
Versions whose form is not known are not judged.

Do: move the key to its section, or use a version that knows it. Change the workloads together with
a name.
"""

from collections import defaultdict
from collections.abc import Iterable

from bridgehead.core.components.configuration import Stray, strays
from bridgehead.core.diagnose.cause import Action, Blame, Cause, RollbackHelps, RuledOut
from bridgehead.core.diagnose.scene import Scene
from bridgehead.core.diagnose.shortage import Lack, Shortage, lacks
from bridgehead.core.findings.configurations import Configuration, configurations
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Embedded, Linted, Manifest
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import DiagnosisRule
from bridgehead.core.journal.entry import Evidence
from bridgehead.core.model.json import JsonValue, text


def _check(scene: Scene) -> Iterable[Cause | Doubt]:
    for found in configurations(_linted(scene)):
        if found.problem:
            continue
        version = found.version if found.form.covers(found.version) else None
        stray = tuple(strays(found.form, found.value, version or found.form.last))
        if stray and version is None:
            yield Doubt(
                why=f"whether {stray[0].path} in {found.manifest.ref} is read: the form of the "
                f"{found.reader}'s configuration is not known for its version"
            )
        elif stray:
            yield _cause(scene, found, stray)


def _linted(scene: Scene) -> Linted:
    """Plugins and ConfigMaps of the cluster, in the form in which files of both are read."""
    documents: dict[tuple[str, str], dict[str, JsonValue]] = defaultdict(dict)
    for (namespace, name, key), value in scene.observed.documents.items():
        documents[namespace, name][key] = value
    maps = tuple(
        Manifest(
            data=item,
            texts={
                key: Embedded(value=value)
                for key, value in documents[
                    text(item, "metadata", "namespace"), text(item, "metadata", "name")
                ].items()
            },
        )
        for item in scene.observed.of_kind("ConfigMap")
    )
    sets = tuple(Manifest(data=item) for item in scene.observed.of_kind("DaemonSet"))
    return Linted(manifests=(*sets, *maps))


def _cause(scene: Scene, found: Configuration, stray: tuple[Stray, ...]) -> Cause:
    plugin = found.plugin.ref
    lacking = _in_vain(scene, found)
    waits = "".join(f"; {it.waiting.who} waits for {it.waiting.resource}" for it in lacking[:1])
    what = "; ".join(f"{item.path} ({_why(found, item)})" for item in stray[:3])
    more = f" and {len(stray) - 3} more" if len(stray) > 3 else ""
    return Cause(
        message=f"{plugin} passes over keys of {found.manifest.ref}, {found.key}: "
        f"{what}{more}{waits}",
        blame=Blame.CONFIGURATION,
        object=plugin,
        explains=tuple(key for item in lacking for key in item.waiting.explained),
        evidence=tuple(_quoted(found, item) for item in stray[:3]),
        refuted_by="the configuration that the plugin prints as it starts has these keys",
        ruled_out=(RuledOut("a lost plugin", "it runs, with other settings than written"),)
        if not lacking
        else (),
        actions=(
            Action(
                text="Move the keys to where the plugin reads them, or use a version that does; "
                "change the workloads together with a name",
                command=f"kubectl edit configmap -n {found.manifest.ref.namespace} "
                f"{found.manifest.ref.name}",
            ),
        ),
        rollback_helps=RollbackHelps.UNKNOWN,
        severity=Severity.ERROR if lacking else None,
    )


def _in_vain(scene: Scene, found: Configuration) -> tuple[Lack, ...]:
    """Groups of pods that wait for a name of the family that no node knows."""
    names = [
        plugin
        for plugin in scene.plugins
        if (plugin.component.namespace, plugin.component.name)
        == (found.plugin.ref.namespace, found.plugin.ref.name)
    ]
    return tuple(
        lack
        for lack in lacks(scene, Shortage.NEVER_REGISTERED)
        if any(plugin.family.offers(lack.waiting.resource) for plugin in names)
    )


def _why(found: Configuration, stray: Stray) -> str:
    if stray.since:
        number = ".".join(map(str, stray.since[:2]))
        return f"the {found.reader} does not know it, {number} is the first that may"
    if stray.homes:
        places = " or ".join(home or "the top level" for home in stray.homes)
        return f"the {found.reader} reads it in {places}"
    return f"the {found.reader} has no such key"


def _quoted(found: Configuration, stray: Stray) -> Evidence:
    """The first line that has the key, word for word; the path where it cannot be told."""
    source = f"{found.manifest.ref}, {found.key}"
    content = text(found.manifest.data, "data", found.key)
    for number, line in enumerate(content.splitlines(), start=1):
        if line.lstrip(" -\"'{").startswith(stray.name):
            return Evidence(f"{source}:{number}", line)
    return Evidence(source, stray.path)


RULE = DiagnosisRule(
    name="unknown-configuration-key",
    severity=Severity.WARNING,
    level=3,
    supersedes=frozenset({"requested-name-not-offered"}),
    references=("https://github.com/NVIDIA/k8s-device-plugin", "NVIDIA#240"),
    needs=frozenset({Need.CONFIG_MAPS, Need.DAEMON_SETS}),
    helped_by=frozenset({Need.PODS, Need.NODES}),
    check=_check,
)
