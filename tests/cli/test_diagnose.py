"""``bridgehead diagnose`` on recordings, whole and broken, and on a server: output, exit codes."""

import asyncio
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from bridgehead.cli.exits import Exit
from bridgehead.cli.main import run
from bridgehead.core.journal.entry import stamp
from tests.cli.test_inventory import kubeconfig as kubeconfig_of
from tests.cluster.api_server import OBJECTS, ApiServer
from tests.core.diagnose.cluster import (
    CARD,
    EVERY_KIND,
    Object,
    daemon_set,
    node,
    plugin_pod,
)
from tests.kube.scripted import status

Output = pytest.CaptureFixture[str]
PLUGIN = "daemonset/gpu/plugin"
AT = "2026-01-31T12:00:00Z"
GOOD = [daemon_set(2), *map(node, ("n1", "n2")), *map(plugin_pod, ("n1", "n2"))]
CRASHES = plugin_pod("n2", waits="CrashLoopBackOff")
BAD = [daemon_set(2), node("n1"), node("n2", "0/0"), plugin_pod("n1"), CRASHES]


def recorded(folder: Path, objects: list[Object], **about: Any) -> Path:
    """A recorded state; everything was read unless it says otherwise."""
    folder.mkdir(exist_ok=True)
    listed = {"kind": "List", "apiVersion": "v1", "items": objects}
    (folder / "objects.json").write_text(json.dumps(listed, indent=1), encoding="utf-8")
    said = {"at": AT, "complete": sorted(EVERY_KIND), "logs": {}} | about
    (folder / "recorded.yaml").write_text(json.dumps(said), encoding="utf-8")
    return folder


def test_a_sound_recording_is_healthy(tmp_path: Path, capsys: Output) -> None:
    assert run(["diagnose", "--from", str(recorded(tmp_path / "s", GOOD))]) == Exit.DONE
    told = capsys.readouterr()
    assert told.out.startswith("everything: healthy")
    assert told.err == f"next: bridgehead inventory --from {tmp_path / 's'}\n"


def test_what_is_not_there_is_not_healthy(tmp_path: Path, capsys: Output) -> None:
    unmounted = daemon_set(2)
    unmounted["spec"]["template"]["spec"]["containers"][0].pop("volumeMounts")
    state = recorded(tmp_path / "s", [unmounted, *GOOD[1:]])
    for words, said in (
        (["daemonset/gpu/plugjn"], "daemonset/gpu/plugjn is not there"),
        (["daemonset/gpu/plugin"], "is no device plugin: none of its containers mounts"),
        (["--node", "n3"], "there is no node n3"),
    ):
        assert run(["diagnose", *words, "--from", str(state)]) == Exit.USAGE
        told = capsys.readouterr()
        assert said in told.err
        assert "healthy" not in told.out


def test_what_is_wrong_is_exit_1_with_cause_node_proof_and_a_command(
    tmp_path: Path, capsys: Output
) -> None:
    assert run(["diagnose", "--from", str(recorded(tmp_path / "s", BAD))]) == Exit.FINDINGS
    told = capsys.readouterr()
    assert "most probable first" in told.out
    assert "   proof     " in told.out
    assert f"node n2 ({CARD} 0/0)" in told.out
    assert told.err.startswith("next: ")


def test_json_has_what_the_design_says(tmp_path: Path, capsys: Output) -> None:
    run(["diagnose", "--from", str(recorded(tmp_path / "s", BAD)), "-o", "json"])
    found = json.loads(capsys.readouterr().out)
    assert found["schema"] == "bridgehead.dev/diagnosis/v1"
    assert found["healthy"] is False
    assert found["unread"] == []
    cause = found["causes"][0]
    assert {
        *("rule", "severity", "confidence", "message", "remedy", "object", "node", "file"),
        *("line", "column", "evidence", "effects", "actions", "rollbackHelps", "ruledOut"),
    } <= cause.keys()
    assert {"text", "command", "risk"} <= cause["actions"][0].keys()
    assert cause["node"] == "n2"
    assert cause["rollbackHelps"] in {"yes", "no", "unknown"}
    assert found["nodes"][0]["name"] == "n2"


@pytest.mark.parametrize("output", ["text", "json", "markdown"])
def test_the_same_state_gives_the_same_bytes_whatever_its_order(
    tmp_path: Path, capsys: Output, output: str
) -> None:
    told = []
    for name, objects in (("one", BAD), ("two", BAD[::-1])):
        run(["diagnose", "--from", str(recorded(tmp_path / name, objects)), "-o", output])
        told.append(capsys.readouterr().out)
    assert told[0] == told[1]


def test_the_order_in_which_python_keeps_sets_changes_no_byte(tmp_path: Path) -> None:
    path = str(recorded(tmp_path / "s", BAD))
    answers = {
        subprocess.run(
            [sys.executable, "-m", "bridgehead", "diagnose", "--from", path, "-o", "json"],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            check=False,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(answers) == 1
    assert b"causes" in answers.pop()


def test_fail_on_decides_what_is_exit_1(tmp_path: Path) -> None:
    guessed = [daemon_set(3), node("n1"), node("n2"), node("n3", "")]
    pods = [plugin_pod(name) for name in ("n1", "n2", "n3")]
    path = str(recorded(tmp_path / "s", [*guessed, *pods]))
    assert run(["diagnose", "--from", path]) == Exit.DONE
    assert run(["diagnose", "--from", path, "--fail-on", "info"]) == Exit.FINDINGS


def test_nothing_found_in_what_was_read_is_exit_8(tmp_path: Path, capsys: Output) -> None:
    unread = [{"what": "events", "why": "forbidden", "grant": "list events"}]
    path = recorded(tmp_path / "s", GOOD, unread=unread)
    assert run(["diagnose", "--from", str(path)]) == Exit.INCOMPLETE
    told = capsys.readouterr()
    assert "nothing found, but not everything needed could be read" in told.out
    assert "not read: events: forbidden" in told.err
    assert "next: grant: list events; then bridgehead diagnose" in told.err


def test_what_has_just_begun_is_exit_8_and_says_when_to_look_again(
    tmp_path: Path, capsys: Output
) -> None:
    young = plugin_pod("n2", age=20)
    objects = [daemon_set(2), node("n1"), node("n2", "4/0"), plugin_pod("n1"), young]
    path = str(recorded(tmp_path / "s", objects))
    assert run(["diagnose", "--from", path]) == Exit.INCOMPLETE
    told = capsys.readouterr()
    assert told.out.startswith("everything: nothing found, but it is too early to say\n")
    assert "plugin pod gpu/plugin-n2 on node n2 started 20 s ago; node n2 shows" in told.out
    assert "; look again in 40 s" in told.out
    said = f"next: record the cluster again, 40 s later; then bridgehead diagnose --from {path}\n"
    assert told.err == said
    run(["diagnose", "--from", path, "-o", "json"])
    (point,) = json.loads(capsys.readouterr().out)["tooEarly"]
    assert (point["component"], point["node"], point["again"]) == (PLUGIN, "n2", 40)
    run(["diagnose", "--from", path, "-o", "markdown"])
    assert "look again in 40 s" in capsys.readouterr().out


def test_markdown_has_commands_as_code_and_what_is_too_early_under_its_own_title(
    tmp_path: Path, capsys: Output
) -> None:
    path = str(recorded(tmp_path / "s", BAD))
    run(["diagnose", "--from", path, "-o", "markdown"])
    out = capsys.readouterr().out
    assert re.search(r"\n- \*\*do 1\*\* .+\n\n  ```sh\n  kubectl .+\n  ```\n", out)
    young = plugin_pod("n2")
    young["metadata"]["creationTimestamp"] = "2026-01-31T11:59:40Z"
    young["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = (
        "2026-01-31T11:59:40Z"
    )
    early = [daemon_set(2), node("n1"), node("n2", "4/0"), plugin_pod("n1"), young]
    run(["diagnose", "--from", str(recorded(tmp_path / "e", early)), "-o", "markdown"])
    out = capsys.readouterr().out
    assert re.search(r"\n## Too early to say\n\n- plugin pod .+\n", out)


def test_a_question_about_a_sound_node_is_answered_healthy(tmp_path: Path) -> None:
    path = str(recorded(tmp_path / "s", BAD))
    assert run(["diagnose", "--from", path, "--node", "n1"]) == Exit.DONE
    assert run(["diagnose", "--from", path, "--node", "n2"]) == Exit.FINDINGS
    assert run(["diagnose", "daemonset/gpu/plugin", "--from", path]) == Exit.FINDINGS


def test_a_component_that_is_none_is_exit_2(tmp_path: Path) -> None:
    path = str(recorded(tmp_path / "s", BAD))
    assert run(["diagnose", "plugin", "--from", path]) == Exit.USAGE


def test_a_baseline_tells_what_is_missing(tmp_path: Path, capsys: Output) -> None:
    before = [daemon_set(1), node("n1"), plugin_pod("n1")]
    now = [daemon_set(1), node("n1", "2/2"), plugin_pod("n1")]
    old = recorded(tmp_path / "old", before, at="2026-01-30T12:00:00Z")
    new = recorded(tmp_path / "new", now)
    assert run(["diagnose", "--from", str(new)]) == Exit.DONE
    capsys.readouterr()
    assert run(["diagnose", "--from", str(new), "--baseline", str(old)]) == Exit.FINDINGS
    assert f"{CARD} read as 4/4" in capsys.readouterr().out


def test_of_a_broken_folder_the_rest_is_judged_and_the_exit_code_says_that_it_is_not_all(
    tmp_path: Path, capsys: Output
) -> None:
    path = recorded(tmp_path / "s", GOOD)
    (path / "broken.yaml").write_text("kind: Node\n  name: [", encoding="utf-8")
    (path / "logs").mkdir()
    (path / "logs" / "gpu_plugin-n1_ctr.txt").write_bytes(b"gr\xfc\xdfe\n")
    assert run(["diagnose", "--from", str(path)]) == Exit.INCOMPLETE
    told = capsys.readouterr().err
    assert "broken.yaml:2:" in told
    assert "bytes that are no UTF-8" in told


def test_a_pipe_among_the_logs_is_told_and_the_exit_code_says_that_it_is_not_all(
    tmp_path: Path, capsys: Output
) -> None:
    path = recorded(tmp_path / "s", GOOD)
    (path / "logs").mkdir()
    os.mkfifo(path / "logs" / "gpu_plugin-n1_ctr.txt")
    assert run(["diagnose", "--from", str(path)]) == Exit.INCOMPLETE
    told = capsys.readouterr().err
    assert "gpu_plugin-n1_ctr.txt:1:1: it is a named pipe, no file to be read" in told
    assert "not read: log gpu/plugin-n1/ctr: it is a named pipe" in told


def test_a_baseline_that_is_a_pipe_is_told_and_not_waited_for(
    tmp_path: Path, capsys: Output
) -> None:
    path, pipe = recorded(tmp_path / "s", BAD), tmp_path / "before.json"
    os.mkfifo(pipe)
    words = ["diagnose", "--from", str(path), "--baseline", str(pipe)]
    assert run(words) == Exit.USAGE
    assert f"{pipe} cannot be read: it is a named pipe" in capsys.readouterr().err


@pytest.mark.parametrize("live", [False, True])
async def test_a_baseline_that_is_not_whole_is_told_and_the_exit_code_says_so(
    tmp_path: Path, capsys: Output, server: "SmallCluster", kubeconfig: Path, live: bool
) -> None:
    server.reads_logs = True
    path, before = recorded(tmp_path / "s", GOOD), recorded(tmp_path / "b", GOOD[:2])
    os.mkfifo(before / "nodes.yaml")
    (before / "recorded.yaml").write_text(json.dumps({"at": AT}), encoding="utf-8")
    where = ("--kubeconfig", str(kubeconfig)) if live else ("--from", str(path))
    assert await command("diagnose", *where, "--baseline", str(before)) == Exit.INCOMPLETE
    told = capsys.readouterr().err
    assert "nodes.yaml:1:1: it is a named pipe, no file to be read" in told
    assert f"not read: baseline: nodes: not recorded in {before}" in told


def test_of_a_dump_that_broke_off_what_is_wrong_is_still_found(
    tmp_path: Path, capsys: Output
) -> None:
    path = recorded(tmp_path / "s", BAD)
    half = '{"kind": "EventList", "apiVersion": "v1", "items": [{"metadata": {"name": "e"'
    (path / "events.json").write_text(half, encoding="utf-8")
    assert run(["diagnose", "--from", str(path)]) == Exit.FINDINGS
    assert "this is no JSON" in capsys.readouterr().err


def test_an_inventory_file_is_diagnosed_as_far_as_it_goes(tmp_path: Path, capsys: Output) -> None:
    saved = tmp_path / "saved.json"
    run(["inventory", "--from", str(recorded(tmp_path / "s", BAD)), "--save", str(saved)])
    capsys.readouterr()
    assert run(["diagnose", "--from", str(saved)]) == Exit.FINDINGS
    assert "an inventory does not keep them" in capsys.readouterr().err


def test_a_saved_state_is_diagnosed_alike(tmp_path: Path, capsys: Output) -> None:
    path, saved = str(recorded(tmp_path / "s", BAD)), tmp_path / "saved"
    run(["diagnose", "--from", path, "--save", str(saved), "-o", "json"])
    first = capsys.readouterr().out
    run(["diagnose", "--from", str(saved), "-o", "json"])
    assert capsys.readouterr().out == first
    assert run(["diagnose", "--from", path, "--save", str(saved)]) == Exit.USAGE
    assert "is not empty" in capsys.readouterr().err


class SmallCluster(ApiServer):
    """A cluster with a plugin; what it does not know is answered as an older server does."""

    def __init__(self, objects: list[Object]) -> None:
        super().__init__()
        self.held: dict[str, list[Object]] = {}
        self.reads_logs = False
        self.reviews = 404
        self.reader: Object | None = None
        """The reader pod, whose image cannot be pulled."""
        self.failed_pulls = 0
        self.last_pull = 2
        """The pull after which it is not tried again."""
        self.goes_on_to: Object = {}
        """The reader's status after the last pull; empty where it stays as it is."""
        plurals = {
            "Node": "/api/v1/nodes",
            "Pod": "/api/v1/pods",
            "DaemonSet": "/apis/apps/v1/daemonsets",
        }
        for item in objects:
            self.held.setdefault(plurals[item["kind"]], []).append(item)

    async def serve(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        if path.endswith("/log") and self.reads_logs:
            return web.Response(text="2026-01-31T11:59:00.000000000Z started\n")
        if path.endswith("/subjectaccessreviews"):
            reason = "Forbidden" if self.reviews == 403 else "NotFound"
            return status(self.reviews, reason, "no reviews for you")
        if "/pods/bridgehead-reader-" in path:
            if self.reader and self.failed_pulls == self.last_pull and self.goes_on_to:
                self.reader["status"] = self.goes_on_to
            self.failed_pulls = min(self.failed_pulls + 1, self.last_pull)
            return web.json_response(self.reader)
        if path.endswith("/events") and "reason=Failed" in _about(request):
            return web.json_response({"metadata": {}, "items": self._told_of_pulls()})
        selects = "fieldSelector" in request.query and path not in self.forbidden
        if path == "/api/v1/nodes" and selects:
            (_, named) = request.query["fieldSelector"].split("=")
            nodes = [it for it in self.held[path] if it["metadata"]["name"] == named]
            return web.json_response({"metadata": {}, "items": nodes})
        if request.method == "POST" and path.endswith("/pods"):
            self.reader = await request.json()
            self.reader["metadata"]["uid"] = "of-the-reader"
            waits = {"reason": "ErrImagePull", "message": "lookup registry.invalid: no such host"}
            of_it = {"name": "reader", "state": {"waiting": waits}}
            self.reader["status"] = {"phase": "Pending", "containerStatuses": [of_it]}
            return web.json_response(self.reader, status=201)
        if path in self.forbidden or path.endswith("/log"):
            return status(403, "Forbidden", f'User "me" cannot list {path}')
        if path == "/version":
            return web.json_response({"gitVersion": "v1.25.0"})
        if path in self.held:
            return web.json_response({"metadata": {}, "items": self.held[path]})
        if path in OBJECTS or path in {"/api/v1/events"} or "/namespaces/" in path:
            return web.json_response({"metadata": {}, "items": []})
        return status(404, "NotFound", "the server could not find the requested resource")

    def _told_of_pulls(self) -> list[Object]:
        """As a kubelet does: a pull that failed in the same way is counted, another is new."""
        about = {"kind": "Pod", "name": "bridgehead-reader", "namespace": "mine"}
        said = {"Failed to pull image": self.failed_pulls, "Error: ErrImagePull": 9}
        return [
            {"metadata": {"name": words}, "involvedObject": about, "message": words, "count": count}
            for words, count in said.items()
            if count
        ]


def _about(request: web.BaseRequest) -> list[str]:
    return request.query.get("fieldSelector", "").split(",")


@pytest.fixture
async def server() -> AsyncIterator[SmallCluster]:
    async with SmallCluster(GOOD) as running:
        yield running


kubeconfig = kubeconfig_of


async def command(*arguments: str) -> int:
    """Run a command in a thread: it runs an event loop of its own, the server needs this one."""
    return await asyncio.to_thread(run, list(arguments))


async def test_an_older_server_without_a_kind_is_read_with_get_requests_only(
    server: SmallCluster, kubeconfig: Path, capsys: Output
) -> None:
    assert await command("diagnose", "--kubeconfig", str(kubeconfig)) == Exit.INCOMPLETE
    told = capsys.readouterr().err
    assert told.startswith("not read: logs in namespace gpu: ")
    assert "next: grant: get pods/log in namespace gpu; then bridgehead diagnose" in told
    assert {seen.method for seen in server.seen} == {"GET"}


async def test_a_permission_that_is_missing_is_named_and_the_rest_is_judged(
    server: SmallCluster, kubeconfig: Path, capsys: Output
) -> None:
    server.forbidden = {"/api/v1/events"}
    server.held["/api/v1/pods"][1] = CRASHES
    assert await command("diagnose", "--kubeconfig", str(kubeconfig)) == Exit.FINDINGS
    told = capsys.readouterr()
    assert "n2" in told.out
    assert "not read: events: " in told.err


async def test_a_reader_image_that_fails_twice_to_be_pulled_is_told_and_asked_for_again(
    server: SmallCluster, kubeconfig: Path, capsys: Output
) -> None:
    server.reads_logs = True
    image = "registry.invalid/none:1"
    words = ("--node", "n2", "--kubeconfig", str(kubeconfig), "--state-namespace", "mine")
    more = ("--reader-image", image, "--plain-http", "r.example:5000")
    assert await command("diagnose", *words, *more) == Exit.INCOMPLETE
    told = capsys.readouterr().err
    assert (
        f"not read: files of node n2: the reader's image {image} could not be pulled: "
        "ErrImagePull: lookup registry.invalid: no such host" in told
    )
    assert (
        "next: the reader's image could not be pulled: see to it, or name another; then bridgehead "
        f"diagnose --node n2 --reader-image {image} --plain-http r.example:5000 "
        f"--kubeconfig {kubeconfig} --state-namespace mine\n" in told
    )
    assert writes(server) == ["POST", "DELETE"]
    assert server.failed_pulls == 2


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ({"phase": "Succeeded"}, "the reader did not come to its end"),
        (
            {"phase": "Failed", "reason": "DeadlineExceeded", "message": "too long"},
            "the reader's image i:1 could not be pulled: ErrImagePull: lookup registry.invalid",
        ),
        (
            {"phase": "Failed", "reason": "Evicted", "message": "no room"},
            "it failed: Evicted: no room",
        ),
    ],
    ids=["passes", "never", "another end"],
)
async def test_one_pull_that_fails_is_no_answer_yet(
    server: SmallCluster, kubeconfig: Path, capsys: Output, after: Object, said: str
) -> None:
    server.reads_logs, server.last_pull, server.goes_on_to = True, 1, after
    words = ("--node", "n2", "--kubeconfig", str(kubeconfig), "--reader-image", "i:1")
    assert await command("diagnose", *words) == Exit.INCOMPLETE
    assert f"not read: files of node n2: {said}" in capsys.readouterr().err
    assert writes(server) == ["POST", "DELETE"]


async def test_on_a_node_that_is_not_there_no_reader_is_started(
    server: SmallCluster, kubeconfig: Path, capsys: Output
) -> None:
    words = ("--node", "n9", "--kubeconfig", str(kubeconfig), "--reader-image", "i:1")
    assert await command("diagnose", *words) == Exit.USAGE
    assert "there is no node n9" in capsys.readouterr().err
    assert writes(server) == []


async def test_who_may_not_see_nodes_has_to_try_the_reader(
    server: SmallCluster, kubeconfig: Path
) -> None:
    server.reads_logs, server.forbidden = True, {"/api/v1/nodes"}
    words = ("--node", "n2", "--kubeconfig", str(kubeconfig), "--reader-image", "i:1")
    assert await command("diagnose", *words) == Exit.INCOMPLETE
    assert writes(server) == ["POST", "DELETE"]


def writes(server: SmallCluster) -> list[str]:
    return [seen.method for seen in server.seen if seen.method != "GET"]


async def test_of_a_node_that_is_not_there_only_that_is_said(
    server: SmallCluster, kubeconfig: Path, capsys: Output
) -> None:
    words = ("--node", "n9", "--kubeconfig", str(kubeconfig))
    assert await command("diagnose", *words) == Exit.USAGE
    told = capsys.readouterr().err
    assert "there is no node n9" in told
    assert "files of n9" not in told


async def test_commands_go_to_the_cluster_that_was_read(
    server: SmallCluster, kubeconfig: Path, capsys: Output
) -> None:
    server.held["/api/v1/pods"][1] = CRASHES
    words = ("--kubeconfig", str(kubeconfig), "--context", "test", "--state-namespace", "mine")
    assert await command("diagnose", *words, "-o", "json") == Exit.FINDINGS
    told = capsys.readouterr()
    commands = [act["command"] for it in json.loads(told.out)["causes"] for act in it["actions"]]
    written = [text for text in commands if text]
    assert written
    begin = f"kubectl --kubeconfig {kubeconfig} --context test "
    assert all(text.startswith(begin) for text in written)
    assert f"next: {written[0]}\n" in told.err


async def test_what_is_not_there_is_asked_about_again_with_the_same_options(
    server: SmallCluster, kubeconfig: Path, tmp_path: Path, capsys: Output
) -> None:
    before = recorded(tmp_path / "what was", GOOD)
    words = ("--kubeconfig", str(kubeconfig), "--request-timeout", "1m")
    more = ("--node", "n9", "--no-registry", "--baseline", str(before), "--state-namespace", "m")
    assert await command("diagnose", *words, *more) == Exit.USAGE
    assert (
        f"next: bridgehead diagnose --baseline '{before}' --no-registry "
        f"--kubeconfig {kubeconfig} --request-timeout 1m --state-namespace m\n"
    ) in capsys.readouterr().err


def test_a_recording_is_asked_about_again_at_the_same_time(tmp_path: Path, capsys: Output) -> None:
    path = recorded(tmp_path / "a state", GOOD, unread=[{"what": "events", "why": "none"}])
    assert run(["diagnose", "--from", str(path), "--at", AT]) == Exit.INCOMPLETE
    said = f"bridgehead diagnose --from '{path}' --at 2026-01-31T12:00:00.000Z\n"
    assert said in capsys.readouterr().err


async def test_of_a_cluster_the_next_command_waits_first(
    server: SmallCluster, kubeconfig: Path, capsys: Output
) -> None:
    server.reads_logs = True
    young, begun = plugin_pod("n2"), stamp(time.time() - 10)
    young["metadata"]["creationTimestamp"] = begun
    young["status"]["containerStatuses"][0]["state"]["running"]["startedAt"] = begun
    server.held["/api/v1/pods"][1] = young
    server.held["/api/v1/nodes"][1] = node("n2", "4/0")
    assert await command("diagnose", "--kubeconfig", str(kubeconfig)) == Exit.INCOMPLETE
    told = capsys.readouterr()
    assert "too early to say" in told.out
    assert re.search(r"next: sleep \d+; bridgehead diagnose --kubeconfig ", told.err)


@pytest.mark.parametrize(
    ("code", "grant"),
    [(403, "create subjectaccessreviews.authorization.k8s.io"), (404, "")],
)
async def test_rights_that_cannot_be_asked_about_are_unread_and_never_fine(
    server: SmallCluster, kubeconfig: Path, capsys: Output, code: int, grant: str
) -> None:
    hami = daemon_set(2)
    hami["spec"]["template"]["spec"]["containers"][0]["image"] = "projecthami/hami:v2.4.0"
    server.held["/apis/apps/v1/daemonsets"] = [hami]
    server.held["/api/v1/pods"][1] = CRASHES
    server.reviews = code
    done = await command("diagnose", "--kubeconfig", str(kubeconfig), "-o", "json")
    assert done == Exit.FINDINGS
    told = json.loads(capsys.readouterr().out)
    missing = {item["what"]: item["grant"] for item in told["unread"]}
    assert missing["access reviews"] == grant
    assert any(
        "whether the service account gpu/default may" in it["why"] for it in told["notKnown"]
    )


def test_a_server_that_does_not_answer_is_exit_6(tmp_path: Path, capsys: Output) -> None:
    assert run(["diagnose", "--kubeconfig", str(tmp_path / "none")]) == Exit.CANNOT
    assert "does not exist" in capsys.readouterr().err
