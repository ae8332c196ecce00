"""Configuration files of plugins: which key belongs where, and since which version.

A plugin reads its file leniently: a key that it does not know, or that stands in a section where it
does not look, is passed over without a word, and the plugin runs with other settings than written.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from bridgehead.core.components.options import Version
from bridgehead.core.model.json import JsonValue


class Key(msgspec.Struct, frozen=True):
    """A key of a section: its own section, if it is one, and the first version that knows it.

    ``listed``: the value is a list of such sections, or a single one. ``idle``: it is read and set
    aside in every version that was read, unless its value is ``harmless``.
    """

    inner: "Section | None" = None
    since: Version = (0, 0, 0)
    listed: bool = False
    idle: bool = False
    harmless: str = ""


class Section(msgspec.Struct, frozen=True):
    """Keys of one section. ``exact``: in this letter case only; Go's JSON takes any, if asked."""

    keys: Mapping[str, Key]
    exact: bool = False

    def key(self, name: str) -> Key | None:
        """The key of that name."""
        if name in self.keys:
            return self.keys[name]
        if self.exact:
            return None
        folded = {known.casefold(): key for known, key in self.keys.items()}
        return folded.get(name.casefold())


class Format(msgspec.Struct, frozen=True, kw_only=True):
    """The file of a family's plugin, in the versions from ``first`` to ``last``.

    ``strict_json``: it must be JSON; otherwise YAML will do. ``entries`` is the way to the list of
    resources, ``prefix`` and ``name`` the keys of an entry that make the resource's name.
    """

    family: str
    source: str
    root: Section
    first: Version
    last: Version
    strict_json: bool = False
    entries: str = ""
    prefix: str = ""

    def covers(self, version: Version | None) -> bool:
        """Whether the version is one that this form is known for."""
        return version is not None and self.first <= version <= self.last

    @property
    def words(self) -> frozenset[str]:
        """Every key that stands anywhere in it."""
        return frozenset(name for _, name in _everywhere(self.root, ""))

    def homes(self, name: str) -> tuple[str, ...]:
        """Sections in which the key is known, as dotted paths; the top is an empty one."""
        found = (path for path, known in _everywhere(self.root, "") if known == name)
        return tuple(dict.fromkeys(found))


class Stray(msgspec.Struct, frozen=True):
    """A key that the plugin passes over.

    ``homes`` are sections where it would be read; ``since`` the version from which it would be;
    ``idle`` says that it is read and set aside.
    """

    path: str
    name: str
    homes: tuple[str, ...] = ()
    since: Version | None = None
    idle: bool = False


def strays(form: Format, value: JsonValue, version: Version) -> Iterator[Stray]:
    """Keys of a file that this version does not read, in their order."""
    yield from _strays(form, form.root, value, "", version)


def _strays(
    form: Format, section: Section, value: JsonValue, path: str, version: Version
) -> Iterator[Stray]:
    if not isinstance(value, Mapping):
        return
    for name, item in value.items():
        known = section.key(name)
        where = f"{path}.{name}" if path else name
        if known is None:
            homes = tuple(home for home in form.homes(name) if home != path)
            yield Stray(where, name, homes)
        elif known.since > version:
            yield Stray(where, name, since=known.since)
        elif known.idle:
            if item and item != known.harmless:
                yield Stray(where, name, idle=True)
        elif known.inner is not None:
            listed = isinstance(item, Sequence) and not isinstance(item, str)
            if known.listed and listed and isinstance(item, Sequence):
                for number, entry in enumerate(item):
                    yield from _strays(form, known.inner, entry, f"{where}[{number}]", version)
            else:
                yield from _strays(form, known.inner, item, where, version)


def _everywhere(section: Section, path: str) -> Iterator[tuple[str, str]]:
    for name, key in section.keys.items():
        yield path, name
        if key.inner is not None:
            yield from _everywhere(key.inner, f"{path}.{name}" if path else name)


def _leaves(*names: str, since: Version = (0, 0, 0)) -> dict[str, Key]:
    return {name: Key(since=since) for name in names}


_13, _14, _15, _17, _18 = (0, 13, 0), (0, 14, 0), (0, 15, 0), (0, 17, 0), (0, 18, 0)

_REPLICATED = Section(
    {
        **_leaves("renameByDefault", "failRequestsGreaterThanOne"),
        "resources": Key(
            Section(
                {
                    **_leaves("name", "replicas"),
                    "rename": Key(idle=True),
                    "devices": Key(idle=True, harmless="all"),
                },
                exact=True,
            ),
            listed=True,
        ),
    },
    exact=True,
)
_PATTERNS = Key(Section(_leaves("pattern", "name"), exact=True), listed=True)

NVIDIA = Format(
    family="nvidia",
    source="https://github.com/NVIDIA/k8s-device-plugin (api/config/v1; 0.12.3, 0.13.0, 0.14.5, "
    "0.15.0, 0.17.4, 0.18.0)",
    first=(0, 12, 0),
    last=(0, 18, 99),
    root=Section(
        {
            "version": Key(),
            "flags": Key(
                Section(
                    {
                        **_leaves("migStrategy", "failOnInitError", "nvidiaDriverRoot"),
                        **_leaves("gdsEnabled", "mofedEnabled", since=_13),
                        **_leaves("mpsRoot", "useNodeFeatureAPI", since=_15),
                        **_leaves("nvidiaDevRoot", "deviceDiscoveryStrategy", since=(0, 16, 0)),
                        **_leaves("gdrcopyEnabled", since=_18),
                        "plugin": Key(
                            Section(
                                {
                                    **_leaves("passDeviceSpecs", "deviceListStrategy"),
                                    **_leaves("deviceIDStrategy"),
                                    **_leaves(
                                        "cdiAnnotationPrefix",
                                        "nvidiaCTKPath",
                                        "containerDriverRoot",
                                        since=_14,
                                    ),
                                }
                            )
                        ),
                        "gfd": Key(
                            Section(
                                {
                                    **_leaves("oneshot", "noTimestamp", "sleepInterval"),
                                    **_leaves("outputFile"),
                                    **_leaves("machineTypeFile", since=_13),
                                }
                            )
                        ),
                    }
                )
            ),
            "resources": Key(Section({"gpus": _PATTERNS, "mig": _PATTERNS}), idle=True),
            "sharing": Key(
                Section({"timeSlicing": Key(_REPLICATED), "mps": Key(_REPLICATED, since=_15)})
            ),
            "imex": Key(Section(_leaves("channelIDs", "required")), since=(0, 16, 0)),
        }
    ),
)
"""A key of a version that was not read counts from the minor version after the one without it."""

_PCI = _leaves("vendors", "devices", "drivers", "pciAddresses", "acpiIndexes")
_NET = _leaves("pfNames", "rootDevices", "linkTypes", "isRdma")
_SRIOV_SELECTORS = Section(
    {
        **_PCI,
        **_NET,
        **_leaves("ddpProfiles", "needVhostNet", "vdpaType", "pKeys", "auxTypes"),
    }
)

SRIOV = Format(
    family="sriov",
    source="https://github.com/k8snetworkplumbingwg/sriov-network-device-plugin (README, "
    "Configurations; pkg/types/types.go)",
    first=(3, 3, 0),
    last=(3, 11, 99),
    strict_json=True,
    entries="resourceList",
    prefix="intel.com",
    root=Section(
        {
            "resourceList": Key(
                Section(
                    {
                        **_leaves("resourcePrefix", "resourceName", "deviceType"),
                        **_leaves("excludeTopology", "additionalInfo"),
                        "selectors": Key(_SRIOV_SELECTORS, listed=True),
                    }
                ),
                listed=True,
            )
        }
    ),
)

RDMA_SHARED = Format(
    family="rdma-shared",
    source="https://github.com/Mellanox/k8s-rdma-shared-dev-plugin (README; pkg/types, 1.5.3)",
    first=(1, 0, 0),
    last=(1, 5, 99),
    strict_json=True,
    entries="configList",
    prefix="rdma",
    root=Section(
        {
            "periodicUpdateInterval": Key(),
            "configList": Key(
                Section(
                    {
                        **_leaves("resourceName", "resourcePrefix", "rdmaHcaMax", "devices"),
                        "selectors": Key(
                            Section(
                                _leaves("vendors", "deviceIDs", "drivers", "ifNames", "linkTypes")
                            )
                        ),
                    }
                ),
                listed=True,
            ),
        }
    ),
)

FORMATS: Mapping[str, Format] = {form.family: form for form in (NVIDIA, SRIOV, RDMA_SHARED)}
"""The known forms, by family."""
