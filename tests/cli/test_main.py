"""The command line's frame: help, wrong usage, errors as endings, unexpected errors as files."""

import subprocess
import sys
from pathlib import Path

import click
import pytest

from bridgehead.app.loop import OutOfSightError
from bridgehead.cli import main
from bridgehead.cli.exits import Exit
from bridgehead.cli.failures import failure_of, tell
from bridgehead.core.rollout.control import UnreadableRequestError
from bridgehead.kube import errors
from bridgehead.kube.errors import Request


def bridgehead(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from bridgehead.cli.main import main; main()", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_help_lists_every_command_with_its_line() -> None:
    found = bridgehead("--help")
    assert found.returncode == Exit.DONE
    for name, (_, line) in main.COMMANDS.items():
        assert f"  {name} " in found.stdout
        assert line in found.stdout
    assert "Example:" in found.stdout


@pytest.mark.parametrize("name", main.COMMANDS)
def test_every_command_is_where_the_table_says_and_its_help_has_an_example(name: str) -> None:
    command = main.bridgehead.get_command(click.Context(main.bridgehead), name)
    assert command is not None
    assert command.name == name
    assert "Example:" in (command.epilog or "")


def test_help_imports_no_client() -> None:
    program = (
        "import sys\n"
        "from bridgehead.cli.main import run\n"
        "run(['--help'])\n"
        "print(sorted({'aiohttp', 'pydantic', 'rich', 'yaml', 'asyncio'} & set(sys.modules)))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("name", main.COMMANDS)
def test_a_commands_help_imports_nothing_that_takes_long(name: str) -> None:
    program = (
        "import sys\n"
        "from bridgehead.cli.main import run\n"
        f"run([{name!r}, '--help'])\n"
        "print(sorted({'aiohttp', 'pydantic', 'rich'} & set(sys.modules)))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("inventory", "--nonsense"),
        ("inventory", "--request-timeout", "soon"),
        ("inventory", "--from", "/does/not/exist"),
        ("inventory", "--at", "2026-01-01T00:00:00Z"),
        ("inventory", "--from", ".", "--at", "yesterday"),
        ("inventory", "--from", ".", "--at", "2026-01-01T00:00:00"),
        ("inventory", "-o", "yaml"),
    ],
)
def test_wrong_usage_is_exit_2(arguments: tuple[str, ...]) -> None:
    assert main.run(arguments) == Exit.USAGE


REQUEST = Request("list", "pods")


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (errors.Unauthorized("no", request=REQUEST, code=401), "kubectl auth whoami"),
        (
            errors.Unreachable("https://x", "refused", "refused", sent=False, retryable=True),
            "kubectl cluster-info",
        ),
        (errors.NoKubeconfig("x does not exist"), "check the path in --kubeconfig or $KUBECONFIG"),
        (errors.ConfigError("no context"), "kubectl config view"),
        (errors.CredentialError("plugin failed"), "kubectl config view"),
        (errors.ServerError("broken", request=REQUEST, code=500), "kubectl get --raw /readyz"),
    ],
)
def test_a_cluster_that_cannot_be_used_is_exit_6_with_a_command(
    error: Exception, remedy: str
) -> None:
    failure = failure_of(error)
    assert failure is not None
    assert failure.exit is Exit.CANNOT
    assert remedy in failure.remedy


def test_a_missing_permission_says_which_and_for_whom() -> None:
    error = errors.Forbidden("forbidden", request=REQUEST, code=403)
    error.user, error.verb, error.resource, error.group = "me", "list", "daemonsets", "apps"
    failure = failure_of(error)
    assert failure is not None
    assert failure.remedy == (
        "grant 'list daemonsets.apps' to me; "
        "'kubectl auth can-i list daemonsets.apps --all-namespaces' must say yes "
        "(whoever grants it asks with --as me)"
    )


@pytest.mark.parametrize(
    "error",
    [
        errors.Forbidden("forbidden", request=REQUEST, code=403),
        errors.Unauthorized("no", request=REQUEST, code=401),
        errors.Unreachable("https://x", "refused", "refused", sent=False, retryable=True),
        errors.ConfigError("no context"),
        errors.ServerError("broken", request=REQUEST, code=500),
        OutOfSightError("nothing was seen"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_what_kubectl_is_asked_goes_to_the_cluster_and_user_that_were_named(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed = ["bridgehead", "status", "--kubeconfig", "k", "--context=c", "--state-namespace", "s"]
    monkeypatch.setattr("sys.argv", typed)
    failure = failure_of(error)
    assert failure is not None
    assert " --kubeconfig k --context c" in failure.remedy
    assert "--state-namespace" not in failure.remedy


def test_a_context_that_is_not_there_is_not_named_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "sys.argv", ["bridgehead", "lint", "--kubeconfig", "k", "--context", "nope"]
    )
    failure = failure_of(errors.NoSuchContext("k has no context 'nope'"))
    assert failure is not None
    assert failure.remedy.startswith("kubectl config get-contexts --kubeconfig k;")
    assert "nope" not in failure.remedy


def test_a_request_that_cannot_be_read_names_the_record_its_line_and_the_way_back() -> None:
    failure = failure_of(UnreadableRequestError(2, "malformed", run="gpu-1", namespace="state"))
    assert failure is not None
    assert failure.message.startswith("line 2 under the key control of configmap state/gpu-1")
    assert failure.remedy.startswith("kubectl edit configmap gpu-1 -n state (take line 2 out")
    assert "bridgehead rollback gpu-1" in failure.remedy


def test_an_error_in_a_group_of_one_is_told_as_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert tell(ExceptionGroup("tasks", [errors.ConfigError("no kubeconfig")])) is Exit.CANNOT
    assert "error: no kubeconfig" in capsys.readouterr().err


def test_an_unexpected_error_leaves_a_file_and_names_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    assert tell(RuntimeError("defect")) is Exit.NEEDS_A_PERSON
    (log,) = tmp_path.iterdir()
    assert "RuntimeError: defect" in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o077 == 0
    told = capsys.readouterr()
    assert str(log) in told.err
    assert told.out == ""


def test_a_reader_that_closes_early_is_no_error() -> None:
    program = "from bridgehead.cli.main import main; main()"
    found = subprocess.run(
        ["bash", "-c", f'set -o pipefail; "{sys.executable}" -c "{program}" --help | true'],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stderr) == (0, "")
