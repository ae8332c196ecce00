"""What a reader printed, whole, cut off and unreadable; and what the pod may see at most."""

import re

from bridgehead.app.observing import observed_from
from bridgehead.cluster.reader_answer import answer_of
from bridgehead.cluster.reader_pod import HOST_PATHS, MODULES, reader_pod
from bridgehead.core.model.json import JsonObject, child

MARK = "--0123"


def part(name: str, content: str, code: int = 0) -> str:
    return f"\n{MARK} begin {name}\n{content}\n{MARK} end {code}\n"


def status(printed: str, **more: object) -> JsonObject:
    answer = answer_of(printed, node="n1", boundary=MARK, at=0.0, **more)  # type: ignore[arg-type]
    found = child(answer.evidence, "status")
    assert isinstance(found, dict)
    return found


WHOLE = (
    part("sockets", "kubelet.sock\nfake.sock\n")
    + part("checkpoint", '{"Data": {"RegisteredDevices": {}}, "Checksum": 1}')
    + part("registry", "")
    + part("log", "I1130 12:00:00 one\npassword=hunter2\n")
    + part("cdi /host/cdi-etc/vendor.yaml", "kind: vendor.com/gpu\n")
    + part("devices", "/dev/null\n/dev/dri/card0\n/dev/*/*\n")
    + part("modules", "nvidia 123 0 - Live 0x0\nvfio 1 0 - Live 0x0\n")
    + f"\n{MARK} done\n"
)


def test_every_part_becomes_evidence_as_rules_see_it() -> None:
    answer = answer_of(WHOLE, node="n1", boundary=MARK, at=60.0)
    assert answer.unread == ()
    observed = observed_from([answer.evidence], at=60.0, complete=["NodeEvidence"])
    evidence = observed.evidence["n1"]
    assert evidence.at == 60.0
    assert evidence.sockets == ("fake.sock", "kubelet.sock")
    assert evidence.registry == ()
    assert evidence.checkpoint == {"Data": {"RegisteredDevices": {}}, "Checksum": 1}
    assert evidence.cdi == {"/etc/cdi/vendor.yaml": "kind: vendor.com/gpu\n"}
    assert evidence.devices == ("/dev/dri/card0", "/dev/null")
    assert evidence.modules == ("nvidia", "vfio")
    assert evidence.kubelet_log is not None
    assert evidence.kubelet_log.lines == ("I1130 12:00:00 one", "password=(redacted)")


def test_what_was_not_printed_was_not_looked_at_and_what_is_not_there_is_empty() -> None:
    found = status(f"{MARK} done", absent=("plugins-registry",))
    assert found == {"at": "1970-01-01T00:00:00.000Z", "registry": [], "cdi": {}}


def test_an_answer_that_was_cut_off_says_so_and_keeps_what_came_whole() -> None:
    cut = WHOLE[: WHOLE.index("I1130")] + "I1130 12:0"
    answer = answer_of(cut, node="n1", boundary=MARK, at=0.0)
    found = child(answer.evidence, "status")
    assert isinstance(found, dict)
    assert found["sockets"] == ["fake.sock", "kubelet.sock"]
    assert not {"kubeletLog", "cdi", "devices"} & found.keys()
    assert [item.what for item in answer.unread] == ["files of node n1", "log of node n1"]


def test_a_part_that_cannot_be_read_is_said_with_its_reason() -> None:
    denied = "ls: /host/device-plugins: Permission denied"
    answer = answer_of(part("sockets", denied, 1) + f"{MARK} done", node="n", boundary=MARK, at=0.0)
    assert [(item.what, item.why) for item in answer.unread] == [("sockets of node n", denied)]


def test_a_checkpoint_that_is_no_json_is_said() -> None:
    printed = part("checkpoint", '{"Data": ') + f"{MARK} done"
    answer = answer_of(printed, node="n", boundary=MARK, at=0.0)
    assert [item.what for item in answer.unread] == ["checkpoint of node n"]


def test_a_line_that_looks_like_a_mark_of_another_reader_is_content() -> None:
    found = status(part("sockets", "--9999 end 0\nfake.sock") + f"{MARK} done")
    assert found["sockets"] == ["--9999 end 0", "fake.sock"]


def test_the_pod_sees_the_listed_paths_read_only_and_nothing_else() -> None:
    body = reader_pod(
        name="r", namespace="s", node="n1", image="i", boundary=MARK, absent=("cdi-etc",)
    )
    spec = body["spec"]
    (container,) = spec["containers"]
    paths = {item["hostPath"]["path"] for item in spec["volumes"]}
    assert paths == {item.path for item in HOST_PATHS} - {"/etc/cdi"}
    assert all(item["readOnly"] for item in container["volumeMounts"])
    assert all(item["hostPath"]["type"] in {"Directory", "File"} for item in spec["volumes"])
    assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}
    assert "privileged" not in container["securityContext"]
    assert not {"hostNetwork", "hostPID", "nodeName", "serviceAccountName"} & spec.keys()
    assert spec["activeDeadlineSeconds"] <= 60


def test_the_script_reads_no_other_path() -> None:
    body = reader_pod(name="r", namespace="s", node="n1", image="i", boundary=MARK)
    (container,) = body["spec"]["containers"]
    script = container["command"][-1]
    roots = {f"/host/{item.volume}" for item in HOST_PATHS} | {MODULES, "/host/$folder"}
    named = set(re.findall(r"/(?:host|proc)/[\w$.-]+", script))
    assert named <= roots
