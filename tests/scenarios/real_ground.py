"""The cluster of real kubelets as a ground for scenarios."""

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from bridgehead.cluster.steady_clock import steady
from bridgehead.kube.client import Kube
from bridgehead.kube.config.load import load_config
from testbed.cluster import Cluster
from testbed.fake_images import REGISTRY, fake_images, hold_image
from testbed.images import Image, build_archive
from testbed.parts import binary
from testbed.process import Process
from testbed.self_healing import self_healing
from tests.scenarios.ground import Done, Typed
from tests.scenarios.stage import UnfitStageError

P = ParamSpec("P")
T = TypeVar("T")

DRIVER = ("fakedriver", "fakedriver")
"""The part of the test bed that holds the fake driver, and its command."""
PROGRAM = (sys.executable, "-m", "bridgehead")


class RealGround(Cluster):
    """A running cluster; all that can be asked of one can be asked of this."""

    def put_images(
        self, versions: Mapping[str, Mapping[str, Any]], hold: str, mark: str, nodes: list[str]
    ) -> None:
        """Build archives and import them."""
        driver = binary(*DRIVER)
        repositories: dict[str, dict[str, Mapping[str, Any]]] = {}
        for name, knobs in versions.items():
            repository, _, tag = name.removeprefix(f"{REGISTRY}/").partition(":")
            repositories.setdefault(repository, {})[tag] = knobs
        images = {hold: hold_image(driver=driver)}
        for repository, tags in repositories.items():
            images |= fake_images(tags, driver=driver, repository=repository)
        images = {name: _unmistakable(image, mark) for name, image in images.items()}
        with tempfile.TemporaryDirectory() as folder:
            tar = Path(folder) / "images.tar"
            build_archive(tar, images)
            self.import_images(tar, nodes)

    def start_healing(self, folder: Path, *, manager: str, name: str) -> None:
        """By kubectl in a loop."""
        self_healing(self.state, folder, manager=manager, period=1.0, name=name).start()

    def stop_healing(self, folder: Path, *, name: str) -> None:
        """End that loop, if there is one."""
        healing: Process = self_healing(self.state, folder, name=name)
        healing.stop()

    def command(self, typed: Typed, *, timeout: float) -> Done:
        """In a process of its own. Raises UnfitStageError where it does not end."""
        words = [*PROGRAM, *typed.words]
        if typed.host:
            script = f'hostname {typed.host} && exec "$@"'
            words = ["unshare", "--uts", "sh", "-c", script, "sh", *words]
        try:
            done = subprocess.run(
                words,
                cwd=typed.folder,
                env=typed.environment,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=timeout,
                check=False,
            )
        except subprocess.TimeoutExpired as late:
            said = b"".join(each for each in (late.stderr, late.stdout) if each)
            text = said.decode(errors="replace")
            raise UnfitStageError(f"no end within {timeout:.0f} s:\n{text}") from None
        return Done(done.returncode, done.stdout, done.stderr)

    async def in_turn(self, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """In a thread."""
        return await asyncio.to_thread(function, *args, **kwargs)

    async def connect(self, kubeconfig: Path) -> Kube:
        """Over the machine's network."""
        return await Kube.connect(load_config(kubeconfig))

    def clock(self) -> float:
        """The machine's."""
        return time.time()

    def steady(self) -> float:
        """The machine's."""
        return steady()


def _unmistakable(image: Image, mark: str) -> Image:
    """The image with a digest of its own.

    A kubelet that has pulled an image for one name pulls it again for any other
    (KubeletEnsureSecretPulledImages, Kubernetes 1.37), even where that name is imported.
    """
    return replace(image, env={**(image.env or {}), "SCENARIO": mark})
