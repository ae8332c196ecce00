"""Which images are asked for, and what becomes of the answers."""

from pathlib import Path

from bridgehead.app.diagnose import diagnosed
from bridgehead.app.observed_recording import read_observed
from bridgehead.app.registry_answers import images_in_trouble, with_registry
from bridgehead.app.saving import save_observed
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.image_index import index_of
from bridgehead.core.findings.observed import Observed
from bridgehead.images.registry import registries
from tests.core.diagnose.cluster import daemon_set, node, observed, plugin_pod
from tests.images.hub import Hub, platform, served


def waiting(image: str, reason: str = "ImagePullBackOff") -> Observed:
    pod = plugin_pod("n1", waits=reason)
    pod["spec"]["containers"][0]["image"] = image
    pod["status"]["containerStatuses"][0]["image"] = image
    return observed(node("n1", ""), daemon_set(), pod)


def said(found: Observed) -> list[str]:
    return [cause.message for cause in diagnosed(found, EVERYTHING).causes]


def test_only_images_of_plugins_that_do_not_start_are_asked_for() -> None:
    sound = observed(node("n1"), daemon_set(), plugin_pod("n1"))
    assert images_in_trouble(sound) == ()
    assert images_in_trouble(waiting("r.example/x:1")) == ("r.example/x:1",)
    assert images_in_trouble(waiting("r.example/x:1", "CrashLoopBackOff")) == ("r.example/x:1",)


async def test_an_answer_is_proof_and_is_saved_and_read_back(tmp_path: Path) -> None:
    async with served(Hub()) as address, registries(environ={"HOME": str(tmp_path)}) as asked:
        image = f"{address}/gpu/plugin:v9"
        bare = waiting(image)
        found = await with_registry(bare, images_in_trouble(bare), asked)
    assert not any("the registry does not have it" in text for text in said(bare))
    assert any("the registry does not have it" in text for text in said(found))
    (cause,) = diagnosed(found, EVERYTHING).causes
    assert f"registry of image {image}" in {item.source for item in cause.evidence}
    save_observed(found, tmp_path / "saved")
    again = read_observed(tmp_path / "saved").observed
    assert index_of(again, image) == index_of(found, image)
    assert said(again) == said(found)


async def test_what_was_not_answered_and_what_is_too_much_is_unread(tmp_path: Path) -> None:
    hub = Hub()
    hub.holds("gpu/plugin", "v1", {"manifests": [platform("arm64")]})
    async with served(Hub()) as gone:
        pass
    async with served(hub) as address, registries(environ={"HOME": str(tmp_path)}) as asked:
        images = (f"{address}/gpu/plugin:v1", f"{gone}/x:1", f"{address}/gpu/plugin:v2")
        found = await with_registry(observed(), images, asked, most=2)
    index = index_of(found, images[0])
    assert index is not None
    assert index.architectures == ("arm64",)
    assert index_of(found, images[1]) is None
    assert [item.what for item in found.unread] == [
        f"registry of image {gone}/x:1",
        "some registries",
    ]
