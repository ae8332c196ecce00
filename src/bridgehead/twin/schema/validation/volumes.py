"""Volumes of pods.

Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, ValidateVolumes and below. Of
sources that belong to one vendor only their number is judged.
"""

from collections.abc import Sequence

from bridgehead.twin.objects import Object
from bridgehead.twin.schema.validation.causes import (
    Causes,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    required,
)
from bridgehead.twin.schema.validation.containers import (
    descending_path_causes,
    no_backsteps_causes,
)
from bridgehead.twin.schema.validation.names import config_key, dns_label

_HOST_PATHS = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)

_LARGEST_MODE = 0o777


def volume_causes(volumes: Sequence[Object], field: str, named: dict[str, Object]) -> Causes:
    """What is wrong with a pod's volumes; those that are fine are put into ``named``."""
    for number, volume in enumerate(volumes):
        place = f"{field}[{number}]"
        causes = list(_source_causes(volume, place))
        name = volume.get("name") or ""
        if name:
            causes += [invalid(f"{place}.name", name, message) for message in dns_label(name)]
        else:
            causes.append(required(f"{place}.name"))
        if name in named:
            causes.append(duplicate(f"{place}.name", name))
        if not causes:
            named[name] = volume
        yield from causes


def _source_causes(volume: Object, field: str) -> Causes:
    sources = [key for key, value in volume.items() if key != "name" and value is not None]
    sources.sort(key=lambda key: key != "emptyDir")  # the one that the server looks at first
    if not sources:
        yield required(field, "must specify a volume type")
        return
    yield from _kind_causes(sources[0], volume[sources[0]], f"{field}.{sources[0]}")
    for key in sources[1:]:
        yield forbidden(f"{field}.{key}", "may not specify more than 1 volume type")


def _kind_causes(key: str, source: Object, place: str) -> Causes:
    match key:
        case "hostPath":
            yield from _host_path_causes(source, place)
        case "secret":
            if not source.get("secretName"):
                yield required(f"{place}.secretName")
            yield from _file_causes(source, place)
        case "configMap":
            if not source.get("name"):
                yield required(f"{place}.name")
            yield from _file_causes(source, place)
        case "persistentVolumeClaim":
            if not source.get("claimName"):
                yield required(f"{place}.claimName")
        case "projected" | "downwardAPI":
            yield from _mode_causes(source, place)
        case _:
            return


def _host_path_causes(source: Object, field: str) -> Causes:
    path = source.get("path")
    if not path:
        yield required(f"{field}.path")
        return
    yield from no_backsteps_causes(path, f"{field}.path")
    if (kind := source.get("type") or "") not in _HOST_PATHS:
        yield not_supported(f"{field}.type", kind, _HOST_PATHS)


def _file_causes(source: Object, field: str) -> Causes:
    yield from _mode_causes(source, field)
    for number, item in enumerate(source.get("items") or ()):
        place = f"{field}.items[{number}]"
        if key := item.get("key"):
            for message in config_key(key):
                yield invalid(f"{place}.key", key, message)
        else:
            yield required(f"{place}.key")
        if path := item.get("path"):
            yield from descending_path_causes(path, f"{place}.path")
        else:
            yield required(f"{place}.path")


def _mode_causes(source: Object, field: str) -> Causes:
    mode = source.get("defaultMode")
    if mode is not None and not 0 <= mode <= _LARGEST_MODE:
        detail = "must be a number between 0 and 0777 (octal), both inclusive"
        yield invalid(f"{field}.defaultMode", mode, detail)
