"""Gates about the new pod: its image, its admission, its readiness."""

import msgspec
import pytest

from bridgehead.core.model.pod import REVISION_HASH
from bridgehead.core.verify.pod_gates import admitted, image, pod_ready
from bridgehead.core.verify.result import Verdict
from bridgehead.core.verify.view import PodEvent
from tests.core.verify.cases import (
    CASE,
    NOW,
    POD,
    with_container,
    with_expected,
    with_pod,
    with_track,
    with_view,
)

NO_POD = with_view(pods=())


def test_image_passes_with_the_id_that_runs() -> None:
    result = image(CASE)
    assert (result.verdict, result.seen) == (Verdict.PASS, "sha256:v2")


def test_image_waits_while_there_is_no_pod_or_no_container() -> None:
    assert image(NO_POD).verdict is Verdict.WAIT
    assert image(with_container(image_id="", state="waiting")).verdict is Verdict.WAIT


@pytest.mark.parametrize("reason", ["ErrImagePull", "ImagePullBackOff", "ErrImageNeverPull"])
def test_a_pull_error_fails_after_a_minute_and_not_before(reason: str) -> None:
    pulling = with_container(image_id="", state="waiting", reason=reason)
    assert image(with_track(pulling, pull_error_at=NOW - 59)).verdict is Verdict.WAIT
    late = image(with_track(pulling, pull_error_at=NOW - 60))
    assert late.verdict is Verdict.FAIL
    assert late.reason == "registry.test/plugin:v2 cannot be pulled"


def test_a_pull_error_quotes_the_event() -> None:
    pulling = with_container(image_id="", state="waiting", reason="ErrImagePull")
    event = PodEvent("Warning", "Failed", "manifest unknown")
    result = image(with_view(pulling, events=(event,), log=None))
    assert result.evidence[0].text == "manifest unknown"


def test_an_invalid_image_name_fails_at_once() -> None:
    assert image(with_container(image_id="", reason="InvalidImageName")).verdict is Verdict.FAIL


def test_a_tag_that_resolves_to_another_id_than_before_fails() -> None:
    result = image(with_expected(image_ids={"plugin": "sha256:first"}))
    assert result.verdict is Verdict.FAIL
    assert result.reason == "the tag was moved: it resolved to sha256:first before"


def test_the_same_digest_by_way_of_a_mirror_is_the_same_image() -> None:
    known = with_expected(image_ids={"plugin": "docker.io/x@sha256:abc"})
    mirrored = image(with_container(known, image_id="mirror.test/x@sha256:abc"))
    assert mirrored.verdict is Verdict.PASS
    other = image(with_container(known, image_id="docker.io/x@sha256:def"))
    assert other.verdict is Verdict.FAIL


def test_the_same_id_and_an_unknown_container_pass() -> None:
    assert image(with_expected(image_ids={"plugin": "sha256:v2"})).verdict is Verdict.PASS
    assert image(with_expected(image_ids={"other": "sha256:x"})).verdict is Verdict.PASS


def test_admitted_passes_for_a_pod_of_the_revision_that_the_kubelet_has_taken_up() -> None:
    assert admitted(CASE).verdict is Verdict.PASS


def test_admitted_waits_for_the_pod_its_revision_and_the_kubelet() -> None:
    assert admitted(NO_POD).verdict is Verdict.WAIT
    assert admitted(with_pod(admitted=False, phase="Pending")).verdict is Verdict.WAIT
    other = admitted(with_pod(labels={REVISION_HASH: "h1"}))
    assert (other.verdict, other.seen) == (Verdict.WAIT, "revision h1")


def test_the_first_failed_pod_of_the_revision_decides_even_beside_a_live_one() -> None:
    said = "Pod was rejected: no device"
    refused = with_pod(uid="first", phase="Failed", message=said).view.pods[0]
    result = admitted(with_view(pods=(POD, refused)))
    assert result.verdict is Verdict.FAIL
    assert result.reason == "the node refused it: Pod was rejected: no device"


def test_a_failed_pod_of_another_revision_or_one_that_was_deleted_decides_nothing() -> None:
    other = with_pod(uid="x", phase="Failed", labels={REVISION_HASH: "h1"}).view.pods[0]
    gone = with_pod(uid="old", phase="Failed").view.pods[0]
    assert admitted(with_view(pods=(POD, other, gone))).verdict is Verdict.PASS


def test_a_pod_that_somebody_ended_while_it_started_was_not_refused() -> None:
    ended = with_pod(uid="ended", phase="Failed", deleting=True).view.pods[0]
    refused = msgspec.structs.replace(ended, reason="UnexpectedAdmissionError")
    assert admitted(with_view(pods=(POD, ended))).verdict is Verdict.PASS
    assert admitted(with_view(pods=(POD, refused))).verdict is Verdict.FAIL


def test_pod_ready_passes_and_waits() -> None:
    assert pod_ready(CASE).verdict is Verdict.PASS
    waiting = pod_ready(with_container(with_pod(), ready=False))
    assert waiting.verdict is Verdict.PASS  # readiness is the pod's condition, not the container's
    unready = pod_ready(with_pod(ready=False, containers=()))
    assert (unready.verdict, unready.seen) == (Verdict.WAIT, "Running")
    assert pod_ready(NO_POD).verdict is Verdict.WAIT


def test_two_restarts_are_waited_for_and_the_third_fails_even_a_ready_pod() -> None:
    assert pod_ready(with_container(restarts=2)).verdict is Verdict.PASS
    result = pod_ready(with_container(restarts=3))
    assert (result.verdict, result.seen) == (Verdict.FAIL, "3 restarts")


def test_restarts_from_before_the_pass_are_not_counted_against_a_pod_that_stands() -> None:
    standing = with_expected(with_container(restarts=5), deleted=frozenset())
    since = with_track(standing, deleted=frozenset(), restarts_before=3)
    assert pod_ready(since).verdict is Verdict.PASS
    third = pod_ready(with_track(since, restarts_before=2))
    assert (third.verdict, third.seen) == (Verdict.FAIL, "3 restarts")


def test_a_pod_that_nobody_looked_at_before_has_not_restarted_yet() -> None:
    standing = with_expected(with_container(restarts=3), deleted=frozenset())
    assert pod_ready(with_track(standing, deleted=frozenset(), pod_uid="")).verdict is Verdict.PASS
