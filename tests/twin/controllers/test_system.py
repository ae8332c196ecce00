"""What every cluster has from the start."""

from bridgehead.twin.controllers.system import NAMESPACES, make_system_objects
from bridgehead.twin.objects import name_of
from tests.twin.controllers.cluster import Cluster
from tests.twin.virtually import virtually


@virtually
async def test_what_is_missing_is_made_once() -> None:
    twin = Cluster()
    make_system_objects(twin.registry)
    make_system_objects(twin.registry)
    assert set(NAMESPACES) < {name_of(namespace) for namespace in twin.all("Namespace")}
    (service,) = twin.all("Service")
    assert name_of(service) == "kubernetes"
    assert service["spec"]["clusterIP"] == service["spec"]["clusterIPs"][0] == "10.0.0.1"
    values = {name_of(one): one["value"] for one in twin.all("PriorityClass")}
    assert values == {
        "system-cluster-critical": 2_000_000_000,
        "system-node-critical": 2_000_001_000,
    }
