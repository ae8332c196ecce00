"""Configuration files of device plugins among the manifests: ConfigMaps that a plugin mounts."""

import json
from collections.abc import Iterator

import msgspec

from bridgehead.core.components.advertised import Advertised, advertised
from bridgehead.core.components.configuration import FORMATS, Format
from bridgehead.core.components.family import family_of, plugin_containers
from bridgehead.core.components.init import flag_value
from bridgehead.core.components.options import Version
from bridgehead.core.findings.manifest import Embedded, Linted, Manifest, Path
from bridgehead.core.model.image import ImageError, parse_image
from bridgehead.core.model.json import JsonObject, JsonValue, children, text, texts
from bridgehead.core.model.version import version_in


class Configuration(msgspec.Struct, frozen=True, kw_only=True):
    """One file: an entry of a ConfigMap, and the plugin that reads it.

    ``version`` is None where the plugin's image does not tell. Without a value there is a problem.
    """

    manifest: Manifest
    key: str
    plugin: Manifest
    form: Format
    version: Version | None
    value: JsonValue = None
    problem: str = ""

    @property
    def path(self) -> Path:
        """Where it stands in its ConfigMap."""
        return ("data", self.key)

    @property
    def reader(self) -> str:
        """The plugin in words, with its version."""
        number = f" {'.'.join(map(str, self.version))}" if self.version else ""
        return f"{self.form.family} plugin{number}"

    @property
    def names(self) -> tuple[Advertised, ...]:
        """Resource names that it leads to."""
        prefix = next(
            (
                value
                for container in plugin_containers(self.plugin.template)
                if (value := flag_value(container, "resource-prefix"))
            ),
            "",
        )
        return advertised(self.form, self.value, prefix=prefix)


def configurations(linted: Linted) -> tuple[Configuration, ...]:
    """Every file that a plugin of a known form mounts, in the order of plugins and keys."""
    return tuple(found for plugin in linted.plugins for found in configurations_of(linted, plugin))


def configurations_of(linted: Linted, plugin: Manifest) -> Iterator[Configuration]:
    """Those of one plugin."""
    form = FORMATS.get(family_of(plugin.template).name)
    if form is None:
        return
    version = _version(plugin.template)
    names = _config_maps(plugin.template)
    for manifest in _named(linted, names, plugin.ref.namespace):
        for key, content in texts(manifest.data, "data").items():
            read = _read(form, content, manifest.texts.get(key))
            if read is not None:
                yield Configuration(
                    manifest=manifest,
                    key=key,
                    plugin=plugin,
                    form=form,
                    version=version,
                    value=read.value,
                    problem=read.problem,
                )


def _named(linted: Linted, names: frozenset[str], namespace: str) -> Iterator[Manifest]:
    """A manifest may leave its namespace to ``kubectl apply -n``; one that names it comes first."""
    maps = [it for it in linted.of_kind("ConfigMap") if it.ref.name in names]
    exact = {item.ref.name for item in maps if item.ref.namespace == namespace}
    for item in maps:
        open_ended = "" in (item.ref.namespace, namespace) and item.ref.name not in exact
        if item.ref.namespace == namespace or open_ended:
            yield item


def _read(form: Format, content: str, embedded: Embedded | None) -> Embedded | None:
    """The entry as the plugin reads it; None for what is no configuration of this form."""
    if embedded is None:
        return None
    if embedded.problem:
        return embedded if any(word in content for word in form.root.keys) else None
    if not isinstance(embedded.value, dict) or not form.words & set(embedded.value):
        return None
    if form.strict_json:
        try:
            return Embedded(value=json.loads(content))
        except ValueError as error:
            return Embedded(problem=f"it is read as JSON, and is none: {error}")
    return embedded


def _version(template: JsonObject) -> Version | None:
    for container in plugin_containers(template):
        try:
            return version_in(parse_image(text(container, "image")).tag or "")
        except ImageError:
            return None
    return None


def _config_maps(template: JsonObject) -> frozenset[str]:
    """ConfigMaps that the template mounts."""
    found = set()
    for volume in children(template, "spec", "volumes"):
        found.add(text(volume, "configMap", "name"))
        for source in children(volume, "projected", "sources"):
            found.add(text(source, "configMap", "name"))
    return frozenset(found - {""})
