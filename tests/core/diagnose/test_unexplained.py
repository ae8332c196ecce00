"""What no rule explains is handed on with the last words of what has ended."""

from bridgehead.core.diagnose.judge import diagnose
from bridgehead.core.diagnose.question import EVERYTHING
from bridgehead.core.findings.observed import Log, LogId
from bridgehead.rules.diagnosis.unexplained.unexplained import RULE
from tests.core.diagnose.cluster import daemon_set, node, observed, plugin_pod

FORMER = LogId("gpu", "plugin-n1", "ctr", True)
LINES = ("starting", "CUDA context", "CUDA error 999", "", "giving up")


def test_an_unexplained_crash_is_quoted_and_its_former_log_is_proposed() -> None:
    pod = plugin_pod("n1", waits="CrashLoopBackOff")
    (status,) = pod["status"]["containerStatuses"]
    status |= {"restartCount": 7, "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}}}
    seen = observed(daemon_set(), node("n1", ""), pod, logs={FORMER: Log(LINES)})

    (cause,) = diagnose(seen, (RULE,), EVERYTHING).causes

    quoted = [item.text for item in cause.evidence if item.source.startswith("log ")]
    assert quoted == ["CUDA context", "CUDA error 999", "giving up"]
    commands = [item.command for item in cause.actions]
    assert "kubectl -n gpu logs plugin-n1 -c ctr --previous" in commands
