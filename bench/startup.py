"""Time from a cold start to the end of a command's help. The budget of `--help` is 150 ms.

    uv run python -m bench.startup

Wall time hangs on what else the machine does; `cpu` is what the start itself costs.
"""

import resource
import statistics
import subprocess
import sys
import time

RUNS = 15
BRIDGEHEAD = ["-c", "from bridgehead.cli.main import main; main()"]


def main() -> None:
    """Print medians, with those of a bare interpreter beside them."""
    for named, command in (
        ("python -c pass", ["-c", "pass"]),
        ("bridgehead --help", [*BRIDGEHEAD, "--help"]),
        ("bridgehead rollout --help", [*BRIDGEHEAD, "rollout", "--help"]),
        ("bridgehead journal --help", [*BRIDGEHEAD, "journal", "--help"]),
    ):
        measured = [measure(command) for _ in range(RUNS)]
        wall, cpu = (statistics.median(column) for column in zip(*measured, strict=True))
        print(f"{named:26} wall {wall:6.0f} ms   cpu {cpu:6.0f} ms")


def measure(command: list[str]) -> tuple[float, float]:
    """Milliseconds of wall time and of processor time of one start."""
    used, started = children_cpu(), time.perf_counter()
    subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
    wall = time.perf_counter() - started
    return wall * 1000, (children_cpu() - used) * 1000


def children_cpu() -> float:
    """Seconds that all ended children have used."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


if __name__ == "__main__":
    main()
