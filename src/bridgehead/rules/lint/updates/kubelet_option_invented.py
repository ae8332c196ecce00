"""A kubelet is given an option for device plugins that no kubelet has, or has any more.

Finds: --device-plugin-enabled, --device-plugin-path or the feature gate DevicePlugins in kubeadm's
configuration, a KubeletConfiguration, or a container that runs a kubelet.

Why: no kubelet knows the two flags, and one that meets an unknown flag does not start. The gate was
removed with Kubernetes 1.28: a newer kubelet does not start with it either. Device plugins are
always on, and their directory is a constant.

Sure: kubelet --help, or the journal of the kubelet: "unknown flag", "unrecognized feature gate".

Do: remove the option; mount /var/lib/kubelet/device-plugins, wherever the kubelet's root is.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Linted, Manifest, Path, Violation, containers
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import text
from bridgehead.core.model.version import version_in

_INVENTED = ("device-plugin-enabled", "device-plugin-path", "device-plugins-path")
_GATE = "DevicePlugins"
_REMOVED = (1, 28, 0)
_KUBEADM = ("InitConfiguration", "JoinConfiguration")
_EXTRA = ("nodeRegistration", "kubeletExtraArgs")


def _check(linted: Linted) -> Iterable[Violation]:
    for manifest in linted.manifests:
        for path, name in _options(manifest):
            if name.removeprefix("--") in _INVENTED:
                yield Violation(
                    manifest=manifest,
                    path=path,
                    message=f"no kubelet has an option {name}: it does not start with it",
                )
            elif name == _GATE and (sure := _without_gate(linted)):
                yield Violation(
                    manifest=manifest,
                    path=path,
                    message=f"the feature gate {_GATE} was removed with Kubernetes 1.28:"
                    f" {sure} not start with it",
                    severity=Severity.ERROR if linted.cluster else Severity.WARNING,
                )


def _without_gate(linted: Linted) -> str:
    """Which kubelets would not start, in words; empty where the cluster's are all older."""
    if linted.cluster is None:
        return "a kubelet since then does"
    versions = [version_in(node.kubelet) for node in linted.cluster.snapshot.nodes]
    newer = [item for item in versions if item and item >= _REMOVED]
    return f"{len(newer)} kubelets of this cluster would" if newer else ""


def _options(manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """Options that reach a kubelet, each with its place."""
    if manifest.kind == "KubeletConfiguration":
        yield from _gates(manifest, ("featureGates",))
    if manifest.kind in _KUBEADM:
        yield from _arguments(manifest, _EXTRA)
    for path, container in containers(manifest):
        for field in ("command", "args"):
            words = manifest.at((*path, field))
            if isinstance(words, Sequence) and not isinstance(words, str) and _kubelet(container):
                yield from _words((*path, field), words)


def _gates(manifest: Manifest, path: Path) -> Iterator[tuple[Path, str]]:
    found = manifest.at(path)
    if isinstance(found, Mapping):
        yield from (((*path, key), str(key)) for key in found)


def _arguments(manifest: Manifest, path: Path) -> Iterator[tuple[Path, str]]:
    """kubeadm v1beta3 has a mapping, v1beta4 a list of names and values."""
    found = manifest.at(path)
    if isinstance(found, Mapping):
        for key, value in found.items():
            yield from _one((*path, key), str(key), str(value))
    elif isinstance(found, Sequence) and not isinstance(found, str):
        for number, item in enumerate(found):
            if isinstance(item, Mapping):
                yield from _one((*path, number), text(item, "name"), text(item, "value"))


def _words(path: Path, words: Sequence[object]) -> Iterator[tuple[Path, str]]:
    for number, word in enumerate(words):
        name, _, value = str(word).partition("=")
        if name.startswith("--"):
            yield from _one((*path, number), name, value)


def _one(path: Path, name: str, value: str) -> Iterator[tuple[Path, str]]:
    if name.removeprefix("--") == "feature-gates":
        yield from ((path, gate.partition("=")[0].strip()) for gate in value.split(","))
    else:
        yield path, f"--{name.removeprefix('--')}"


def _kubelet(container: Mapping[str, object]) -> bool:
    command = container.get("command")
    first = command[0] if isinstance(command, Sequence) and command else ""
    return str(first).rpartition("/")[2] == "kubelet"


RULE = LintRule(
    name="kubelet-option-invented",
    severity=Severity.ERROR,
    references=("kubernetes PR#117656", "kubernetes#120626"),
    helped_by=frozenset({Need.NODES}),
    check=_check,
)
