"""A webhook that a plugin's pods depend on is missing or cannot answer.

Finds: Intel's SGX or FPGA plugin without its mutating webhook in the cluster, or with one whose
Service has no ready endpoint or whose certificate authority is not filled in. Of SGX a missing
webhook counts only where nodes offer sgx.intel.com/epc, which workloads then ask for.

Why: the webhook adds the devices that belong to what a pod asks for. Without it pods start without
/dev/sgx_enclave, or ask for an FPGA name that nobody offers; one that cannot answer refuses pods.

Sure: kubectl get mutatingwebhookconfigurations, and kubectl get endpointslices of its Service.

Do: install the webhook with its certificate (cert-manager), or ask for the plugin's own resources
in the pods.
"""

from collections.abc import Iterable, Iterator

from bridgehead.core.components.family import plugin_containers
from bridgehead.core.findings.finding import Severity
from bridgehead.core.findings.manifest import Doubt, Linted, Manifest, Violation
from bridgehead.core.findings.needs import Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.findings.rule import LintRule
from bridgehead.core.model.json import JsonObject, child, children, text, texts

_EPC = "sgx.intel.com/epc"
_SERVICE = "kubernetes.io/service-name"
_KINDS = ("sgx", "fpga")


def _check(linted: Linted) -> Iterable[Violation | Doubt]:
    assert linted.cluster is not None
    for plugin in linted.plugins:
        kind = _kind(plugin)
        if kind is None:
            continue
        hooks = [hook for hook in _hooks(linted.cluster) if kind in _labels(text(hook, "name"))]
        if not hooks and _wanted(linted.cluster, kind):
            yield _violation(plugin, f"the cluster has no mutating webhook for {kind}")
        for hook in hooks:
            yield from _broken(linted.cluster, plugin, hook)


def _broken(cluster: Observed, plugin: Manifest, hook: JsonObject) -> Iterator[Violation | Doubt]:
    name, config = text(hook, "name"), child(hook, "clientConfig")
    if not text(config, "caBundle"):
        yield _violation(plugin, f"the webhook {name} has no certificate authority")
    service = child(config, "service")
    if service is None:
        return
    where = (text(service, "namespace"), text(service, "name"))
    if not cluster.has(Need.ENDPOINTS):
        yield Doubt(
            why=f"whether the Service {'/'.join(where)} of the webhook {name} has endpoints"
        )
    elif not _answers(cluster, *where):
        yield _violation(plugin, f"the Service {'/'.join(where)} of {name} has no ready endpoint")


def _answers(cluster: Observed, namespace: str, service: str) -> bool:
    return any(
        child(endpoint, "conditions", "ready") is not False
        for piece in cluster.of_kind("EndpointSlice")
        if text(piece, "metadata", "namespace") == namespace
        and texts(piece, "metadata", "labels").get(_SERVICE) == service
        for endpoint in children(piece, "endpoints")
    )


def _hooks(cluster: Observed) -> Iterator[JsonObject]:
    for item in cluster.of_kind("MutatingWebhookConfiguration"):
        yield from children(item, "webhooks")


def _labels(name: str) -> list[str]:
    """The words of a webhook's name: ``sgx.mutator.webhooks.intel.com``."""
    return name.replace("-", ".").split(".")


def _wanted(cluster: Observed, kind: str) -> bool:
    return kind != "sgx" or any(_EPC in node.offers for node in cluster.snapshot.nodes)


def _kind(plugin: Manifest) -> str | None:
    for container in plugin_containers(plugin.template):
        image = text(container, "image")
        found = next((kind for kind in _KINDS if f"intel-{kind}-plugin" in image), None)
        if found:
            return found
    return None


def _violation(plugin: Manifest, why: str) -> Violation:
    return Violation(
        manifest=plugin, path=("metadata", "name"), message=f"{why}: pods get no companion devices"
    )


RULE = LintRule(
    name="webhook-chain-incomplete",
    severity=Severity.ERROR,
    references=(
        "intel PR#659",
        "intel#1344",
        "intel#1269",
        "intel#1347",
        "intel#461",
        "intel#1074",
    ),
    needs=frozenset({Need.WEBHOOKS, Need.NODES}),
    helped_by=frozenset({Need.ENDPOINTS}),
    check=_check,
)
