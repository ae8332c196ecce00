"""Image references are read as registries and kubelets read them."""

import pytest

from bridgehead.core.model.image import ImageError, ImageReference, full_name, parse_image

DIGEST = f"sha256:{64 * 'a'}"


@pytest.mark.parametrize(
    ("text", "image"),
    [
        ("plugin", ImageReference("plugin")),
        ("plugin:1.2", ImageReference("plugin", "1.2")),
        ("localhost:5000/plugin", ImageReference("localhost:5000/plugin")),
        ("localhost:5000/a/b:v1", ImageReference("localhost:5000/a/b", "v1")),
        ("[::1]:5000/a:v1", ImageReference("[::1]:5000/a", "v1")),
        ("Registry.Example/a__b/c-d", ImageReference("Registry.Example/a__b/c-d")),
        (f"plugin@{DIGEST}", ImageReference("plugin", None, DIGEST)),
        (f"plugin:1@{DIGEST}", ImageReference("plugin", "1", DIGEST)),
    ],
)
def test_read_and_written_again(text: str, image: ImageReference) -> None:
    assert parse_image(text) == image
    assert str(image) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "'' is no image name"),
        ("Plugin", "'Plugin' is no image name (its path must be lower case)"),
        ("a//b", "'a//b' is no image name"),
        ("https://a/b", "'https://a/b' is no image name"),
        ("a:", "'' is no tag: letters, digits, '_', '.' and '-', at most 128"),
        ("a: b", "' b' is no tag: letters, digits, '_', '.' and '-', at most 128"),
        (
            f"a:{129 * 'x'}",
            f"'{129 * 'x'}' is no tag: letters, digits, '_', '.' and '-', at most 128",
        ),
        ("a@sha256:12", "'sha256:12' is no digest: write sha256: and 64 hexadecimal digits"),
        ("a@", "'' is no digest: write sha256: and 64 hexadecimal digits"),
        (256 * "a", f"'{256 * 'a'}' is no image name"),
    ],
)
def test_refused(text: str, reason: str) -> None:
    with pytest.raises(ImageError) as caught:
        parse_image(text)
    assert str(caught.value) == reason


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("a", True),
        ("a:latest", True),
        ("a:1", False),
        (f"a@{DIGEST}", False),
        (f"a:latest@{DIGEST}", False),
    ],
)
def test_what_may_name_another_image_tomorrow(text: str, moves: bool) -> None:
    assert parse_image(text).moves is moves


@pytest.mark.parametrize(
    ("written", "listed"),
    [
        ("busybox", "docker.io/library/busybox:latest"),
        ("rocm/k8s-device-plugin:1.2", "docker.io/rocm/k8s-device-plugin:1.2"),
        ("localhost/x", "localhost/x:latest"),
        ("reg:5000/a/b:1", "reg:5000/a/b:1"),
        (f"nvcr.io/a/b:1@sha256:{'0' * 64}", f"nvcr.io/a/b@sha256:{'0' * 64}"),
    ],
)
def test_a_full_name_is_the_one_that_nodes_list(written: str, listed: str) -> None:
    assert full_name(written) == listed
