"""The real server's replies as a file.

Written by `python -m tests.twin.admission.record KUBECONFIG NAMESPACE`.
The namespace is there, with a default service account, and nobody else uses it.
"""

import json
import sys
from functools import cache
from pathlib import Path

from tests.twin.admission.both import Real, Reply
from tests.twin.admission.cases import ask_real, cases

FILE = Path(__file__).parent / "replies.json"


@cache
def recorded_replies() -> dict[str, Reply]:
    """By the names of the cases."""
    return {name: Reply(*reply) for name, reply in json.loads(FILE.read_text()).items()}


def record(kubeconfig: Path, namespace: str) -> None:
    """Ask a real server everything and write down what it says."""
    real = Real(kubeconfig)
    replies = {case.name: ask_real(real, case, namespace) for case in cases()}
    FILE.write_text(json.dumps(replies, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    record(Path(sys.argv[1]), sys.argv[2])
