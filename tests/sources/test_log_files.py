"""Logs of a recorded state: any encoding, any length, broken or not."""

import os
import tracemalloc
from pathlib import Path

from bridgehead.core.findings.observed import LogId
from bridgehead.sources.log_files import LogsRead, read_logs

PLUGIN = LogId("gpu", "plugin-a", "ctr")


def logs_of(folder: Path) -> LogsRead:
    found = read_logs(folder)
    assert found is not None
    return found


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return folder


def test_a_folder_without_logs_has_none_and_an_empty_one_has_no_log(tmp_path: Path) -> None:
    assert read_logs(tmp_path) is None
    (tmp_path / "logs").mkdir()
    assert logs_of(tmp_path).logs == {}


def test_names_tell_container_and_process(tmp_path: Path) -> None:
    written(tmp_path, "logs/gpu_plugin-a_ctr.txt", b"now\n")
    written(tmp_path, "logs/gpu_plugin-a_ctr_previous.txt", b"before\r\n")
    found = logs_of(tmp_path).logs
    assert found[PLUGIN].lines == ("now",)
    assert found[LogId("gpu", "plugin-a", "ctr", True)].lines == ("before",)


def test_a_name_that_tells_no_container_is_a_problem(tmp_path: Path) -> None:
    found = logs_of(written(tmp_path, "logs/plugin.txt", b"x\n"))
    assert found.logs == {}
    assert "NAMESPACE_POD_CONTAINER" in found.problems[0].message
    assert not found.problems[0].warning


def test_time_stamps_of_the_kubelet_become_times(tmp_path: Path) -> None:
    text = b"2026-01-31T12:00:00.500000000Z one\n2026-01-31T12:00:01.250000000Z two\n"
    log = logs_of(written(tmp_path, "logs/gpu_plugin-a_ctr.txt", text)).logs[PLUGIN]
    assert log.lines == ("one", "two")
    assert log.times == (1769860800.5, 1769860801.25)


def test_time_stamps_of_a_program_stay_in_its_lines(tmp_path: Path) -> None:
    text = b"2026-01-31T12:00:00.500Z one\n"
    log = logs_of(written(tmp_path, "logs/gpu_plugin-a_ctr.txt", text)).logs[PLUGIN]
    assert log.lines == ("2026-01-31T12:00:00.500Z one",)
    assert log.times == ()


def test_what_is_no_utf8_is_replaced_and_said(tmp_path: Path) -> None:
    found = logs_of(written(tmp_path, "logs/gpu_plugin-a_ctr.txt", b"gr\xfc\xdfe\nfine\n"))
    assert found.logs[PLUGIN].lines == ("gr\ufffd\ufffde", "fine")
    assert "1 lines hold bytes that are no UTF-8" in found.problems[0].message
    assert found.problems[0].warning


def test_a_log_that_another_system_wrote_in_utf16_is_read(tmp_path: Path) -> None:
    text = "no devices found\r\n".encode("utf-16")
    found = logs_of(written(tmp_path, "logs/gpu_plugin-a_ctr.txt", text))
    assert found.logs[PLUGIN].lines == ("no devices found",)
    assert found.logs[PLUGIN].note == "the log is in utf-16, not in UTF-8"


def test_secrets_do_not_get_out_of_a_log(tmp_path: Path) -> None:
    text = b"Authorization: Bearer abcdefgh12345678\n"
    found = logs_of(written(tmp_path, "logs/gpu_plugin-a_ctr.txt", text))
    assert found.logs[PLUGIN].lines == ("Authorization: Bearer (redacted)",)


def test_a_log_of_200_megabytes_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "logs" / "gpu_plugin-a_ctr.txt"
    path.parent.mkdir()
    line = b"I0131 12:00:00.000000 1 main.go:1] " + b"x" * 65 + b"\n"
    block = line * 10_000
    with path.open("wb") as file:
        file.write(b"the first line\n")
        for _ in range(200):
            file.write(block)
        file.write(b"the last line\n")
    tracemalloc.start()
    found = logs_of(tmp_path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    log = found.logs[PLUGIN]
    assert path.stat().st_size > 200_000_000
    assert peak < 20_000_000
    assert (log.lines[0], log.lines[-1]) == ("the first line", "the last line")
    assert log.number_of(len(log.lines) - 1) == 2_000_002
    assert log.gap is not None
    assert f"{log.gap[1]} lines" in log.cut
    assert "the log is long" in found.problems[0].message


def test_a_line_without_end_is_cut(tmp_path: Path) -> None:
    found = logs_of(written(tmp_path, "logs/gpu_plugin-a_ctr.txt", b"x" * 300_000 + b"\nend\n"))
    assert [len(line) for line in found.logs[PLUGIN].lines] == [65_536, 3]


DUMP = b"""==== START logs for container init of pod gpu/plugin-a ====
waiting
==== END logs for container init of pod gpu/plugin-a ====
==== START logs for container ctr of pod gpu/plugin-a ====
started
no devices found
"""


def test_a_dump_has_the_logs_of_all_containers_and_says_where_it_broke_off(tmp_path: Path) -> None:
    found = logs_of(written(tmp_path, "gpu/plugin-a/logs.txt", DUMP))
    assert found.logs[LogId("gpu", "plugin-a", "init")].lines == ("waiting",)
    assert found.logs[PLUGIN].lines == ("started", "no devices found")
    assert [item.message for item in found.problems] == [
        "the file ends within a log: the dump was broken off"
    ]


def test_the_kubelets_words_that_it_has_no_log_are_none(tmp_path: Path) -> None:
    words = b"unable to retrieve container logs for containerd://3ff6bd44"
    written(tmp_path, "logs/gpu_plugin-a_ctr.txt", words)
    written(tmp_path, "logs/gpu_plugin-a_ctr_previous.txt", words + b"\n")
    written(tmp_path, "logs/gpu_plugin-b_ctr.txt", b"started\n" + words)
    found = logs_of(tmp_path)
    assert list(found.logs) == [LogId("gpu", "plugin-b", "ctr")]
    assert [item.what for item in found.unread] == [f"log {PLUGIN}"]


def test_what_is_no_file_is_told_and_not_waited_for_and_the_other_logs_are_read(
    tmp_path: Path,
) -> None:
    written(tmp_path, "logs/gpu_plugin-a_ctr.txt", b"now\n")
    os.mkfifo(tmp_path / "logs" / "gpu_plugin-b_ctr.txt")
    (tmp_path / "logs" / "gpu_plugin-c_ctr_previous.txt").symlink_to("nowhere")
    (tmp_path / "gpu" / "plugin-d").mkdir(parents=True)
    os.mkfifo(tmp_path / "gpu" / "plugin-d" / "logs.txt")
    (tmp_path / "logs" / "folder.txt").mkdir()
    found = logs_of(tmp_path)
    assert list(found.logs) == [PLUGIN]
    pipe = "it is a named pipe, no file to be read"
    assert {(item.what, item.why) for item in found.unread} == {
        ("log gpu/plugin-b/ctr", pipe),
        ("log gpu/plugin-c/ctr (previous)", "it cannot be read: No such file or directory"),
        ("log gpu/plugin-d/logs.txt", pipe),
    }
    assert len(found.problems) == 3
    assert not any(problem.warning for problem in found.problems)
