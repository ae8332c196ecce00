"""Image archives: what the runtime finds in them, and that equal input gives equal bytes."""

from __future__ import annotations

import io
import json
import os
import re
import tarfile
from pathlib import Path
from typing import Any

import pytest

from testbed.errors import TestbedError
from testbed.fake_images import fake_images, hold_image
from testbed.images import File, Image, Link, build_archive, digest, pack, split_name

SHELL = Image(
    files=(File("/bin/busybox", b"content"), Link("/bin/sh", "busybox")),
    entrypoint=(),
    command=("/bin/sh",),
    env={"PATH": "/bin"},
)


@pytest.fixture
def driver(tmp_path: Path) -> Path:
    """Something that can stand for the driver's binary while nothing is started."""
    binary = tmp_path / "driver"
    binary.write_bytes(b"\x7fELF, more or less")
    return binary


def members(archive: Path) -> dict[str, bytes]:
    with tarfile.open(archive) as tar:
        return {
            entry.name: file.read()
            for entry in tar.getmembers()
            if (file := tar.extractfile(entry)) is not None
        }


def blob(files: dict[str, bytes], name: str) -> bytes:
    content = files[f"blobs/{name.replace(':', '/')}"]
    assert digest(content) == name
    return content


def manifests(files: dict[str, bytes]) -> dict[str, Any]:
    return {
        entry["annotations"]["io.containerd.image.name"]: json.loads(blob(files, entry["digest"]))
        for entry in json.loads(files["index.json"])["manifests"]
    }


def test_one_archive_holds_all_images_under_their_names(tmp_path: Path, driver: Path) -> None:
    images = fake_images({"v1": {}, "v2": {"devices": 0}}, driver=driver)
    build_archive(
        tmp_path / "out.tar", images | {"registry.test/hold:1": hold_image(driver=driver)}
    )

    files = members(tmp_path / "out.tar")

    assert json.loads(files["oci-layout"]) == {"imageLayoutVersion": "1.0.0"}
    assert set(manifests(files)) == {
        "registry.test/fake:v1",
        "registry.test/fake:v2",
        "registry.test/hold:1",
    }


def test_images_of_one_binary_share_one_layer(tmp_path: Path, driver: Path) -> None:
    build_archive(
        tmp_path / "out.tar", fake_images({"v1": {}, "v2": {"devices": 0}}, driver=driver)
    )

    layers = {m["layers"][0]["digest"] for m in manifests(members(tmp_path / "out.tar")).values()}

    assert len(layers) == 1


def test_a_version_is_its_knobs_in_the_environment(tmp_path: Path, driver: Path) -> None:
    build_archive(
        tmp_path / "out.tar",
        fake_images({"v2": {"devices": 0, "crashAfter": "20s"}}, driver=driver, repository="x/y"),
    )
    files = members(tmp_path / "out.tar")
    manifest = manifests(files)["registry.test/x/y:v2"]

    config = json.loads(blob(files, manifest["config"]["digest"]))

    assert config["config"]["Env"] == [
        "FAKE_CRASH_AFTER=20s",
        "FAKE_DEVICE_COUNT=0",
        "FAKE_VERSION=v2",
    ]
    assert config["config"]["Entrypoint"] == ["/fakedriver", "plugin"]
    assert config["os"] == "linux"
    layer = blob(files, manifest["layers"][0]["digest"])
    assert config["rootfs"]["diff_ids"] == [digest(layer)]


def test_a_layer_holds_executables_links_and_their_folders() -> None:
    packed = pack(SHELL)
    layer = packed.blobs[json.loads(packed.manifest)["layers"][0]["digest"]]

    with tarfile.open(fileobj=io.BytesIO(layer)) as tar:
        entries = {entry.name: entry for entry in tar.getmembers()}

    assert entries["bin"].isdir()
    assert entries["bin/busybox"].mode == 0o755
    assert entries["bin/busybox"].size == len(b"content")
    assert entries["bin/sh"].linkname == "busybox"


def test_the_same_input_gives_the_same_bytes(tmp_path: Path, driver: Path) -> None:
    images = fake_images({"v1": {}, "v2": {"devices": 0}}, driver=driver)
    build_archive(tmp_path / "one.tar", images)
    os.utime(driver, (1, 1))
    build_archive(tmp_path / "two.tar", dict(reversed(images.items())))

    assert (tmp_path / "one.tar").read_bytes() == (tmp_path / "two.tar").read_bytes()


def test_two_versions_differ_even_with_the_same_knobs(driver: Path) -> None:
    images = fake_images({"v1": {}, "v2": {}}, driver=driver)

    assert len({pack(image).digest for image in images.values()}) == 2


def test_a_wrong_knob_names_the_version(driver: Path) -> None:
    with pytest.raises(TestbedError, match=r"image fake:v2: .* did you mean devices\?"):
        fake_images({"v1": {}, "v2": {"device": 0}}, driver=driver)


@pytest.mark.parametrize("name", ["fake:v1", "registry.test/fake", "library/fake:v1", "a.b/:v1"])
def test_a_name_that_leaves_something_out_is_refused(name: str) -> None:
    with pytest.raises(TestbedError, match=re.escape(f"image name {name!r} must be whole")):
        split_name(name)


def test_a_name_with_a_port_is_whole() -> None:
    assert split_name("127.0.0.1:5000/a/fake:v1") == ("127.0.0.1:5000", "a/fake", "v1")
