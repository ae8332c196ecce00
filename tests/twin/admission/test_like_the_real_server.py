"""Objects that are written to the twin become what a real API server makes of them.

Nothing is stored on the real server but in a namespace of the test's own.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from bridgehead.twin.admission.admission import Admission
from bridgehead.twin.api.service import Api
from bridgehead.twin.clock import Clock
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Kinds
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.builtin import builtin_kinds
from bridgehead.twin.store import Store
from testbed.cluster import Cluster
from tests.twin.admission.both import MANIFESTS, Object, Real, masked, path_of, simulated
from tests.twin.api.asking import api_of
from tests.twin.virtually import START, virtually

pytestmark = pytest.mark.cluster

JSON = "application/json"


def _documents(name: str) -> Iterator[Any]:
    for number, document in enumerate(yaml.safe_load_all((MANIFESTS / name).read_text())):
        yield pytest.param(document, id=f"{number}-{document['kind']}")


@pytest.fixture(scope="module")
def real(cluster: Cluster) -> Real:
    return Real(Path(cluster.kubeconfig))


def _api(namespace: str) -> Api:
    """The twin's API with what a namespace has from its beginning; needs a running loop."""
    kinds, store, identifiers = Kinds(builtin_kinds()), Store(), Identifiers(1)
    clock = Clock(start=START)
    registry = Registry(
        kinds, store, clock, identifiers, Admission(kinds, store, clock, identifiers)
    )
    registry.create(kinds.named("", "namespaces"), {"metadata": {"name": namespace}})
    accounts = kinds.named("", "serviceaccounts")
    registry.create(accounts, {"metadata": {"name": "default"}}, namespace=namespace)
    classes = kinds.named("scheduling.k8s.io", "priorityclasses")
    for name, value in (("cluster", 2_000_000_000), ("node", 2_000_001_000)):
        body = {"metadata": {"name": f"system-{name}-critical"}, "value": value}
        registry.create(classes, body)
    return api_of(registry)


@pytest.mark.parametrize("manifest", [*_documents("new.yaml"), *_documents("refused.yaml")])
def test_a_new_object_becomes_the_same(manifest: Object, real: Real, namespace: str) -> None:
    @virtually
    async def ask() -> None:
        body = yaml.safe_load(yaml.safe_dump(manifest).replace("NAMESPACE", namespace))
        path = f"{path_of(body, namespace)}?dryRun=All&fieldValidation=Warn"
        expected = masked(real.ask("POST", path, body, JSON), namespace)
        api = _api(namespace)
        found = masked(await simulated(api, "POST", path, body, JSON), namespace)
        assert found == expected

    ask()
