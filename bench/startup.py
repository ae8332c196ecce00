"""Time from a cold start to the end of `bridgehead --help`. The budget is 150 ms.

uv run python -m bench.startup
"""

import statistics
import subprocess
import sys
import time

RUNS = 11


def main() -> None:
    """Print the median, with that of a bare interpreter beside it."""
    for named, command in (
        ("python -c pass", ["-c", "pass"]),
        ("bridgehead --help", ["-m", "bridgehead.cli.main", "--help"]),
    ):
        times = []
        for _ in range(RUNS):
            started = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, stdout=subprocess.DEVNULL)
            times.append((time.perf_counter() - started) * 1000)
        print(f"{named:20} median {statistics.median(times):6.0f} ms, best {min(times):6.0f} ms")


if __name__ == "__main__":
    main()
