"""``bridgehead rollout`` as a process of its own, as CI starts it, that can be struck."""

from __future__ import annotations

import signal
import subprocess
import sys
from types import TracebackType
from typing import Self

from tests.chaos.watching import LONGEST
from tests.scenarios.stage import Stage, UnfitStageError


class Process:
    """One runner. It is killed at the end of the block if it still runs, frozen or not."""

    def __init__(self, stage: Stage, user: str, number: int) -> None:
        spec = stage.folder / "bridgehead.yaml"
        spec.write_text(stage.spec_text)
        self._log = stage.folder / f"runner-{number}.log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "bridgehead", "rollout", "-f", str(spec)),
                    *("--kubeconfig", str(stage.cluster.user_kubeconfig(user))),
                    *("--state-namespace", stage.state_namespace),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._process.kill()
        self._process.wait()
        if error is not None:
            error.add_note(f"{self._log.name} printed:\n{self.printed}")

    @property
    def printed(self) -> str:
        """What it has printed so far."""
        return self._log.read_text()

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._process.poll() is not None

    def strike(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._process.send_signal(number)

    def exit(self) -> int:
        """Wait for its end; its exit code, negative where a signal ended it.

        Raises UnfitStageError where it does not end.
        """
        try:
            return self._process.wait(LONGEST)
        except subprocess.TimeoutExpired:
            raise UnfitStageError(f"no end within {LONGEST:.0f} s") from None
