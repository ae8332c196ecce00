"""Where images are asked for."""

import pytest

from bridgehead.images.place import Place, place_of

DIGEST = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    ("image", "expected", "host"),
    [
        ("busybox", Place("docker.io", "library/busybox", "latest"), "registry-1.docker.io"),
        ("rocm/k8s:1", Place("docker.io", "rocm/k8s", "1"), "registry-1.docker.io"),
        ("nvcr.io/nvidia/x:v1", Place("nvcr.io", "nvidia/x", "v1"), "nvcr.io"),
        ("localhost:5000/x", Place("localhost:5000", "x", "latest"), "localhost:5000"),
        (f"r.example:5000/x:v1@{DIGEST}", Place("r.example:5000", "x", DIGEST), "r.example:5000"),
    ],
)
def test_a_name_leads_to_a_host_a_path_and_a_reference(
    image: str, expected: Place, host: str
) -> None:
    found = place_of(image)
    assert (found, found.host) == (expected, host)
