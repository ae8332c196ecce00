"""The diagnosis that recovery rests on: all rules, of the cluster as it is when it is asked."""

from pathlib import Path
from typing import TYPE_CHECKING

from bridgehead.app.recover import Diagnose
from bridgehead.app.session import Session
from bridgehead.core.diagnose.diagnosis import Diagnosis
from bridgehead.core.diagnose.question import Question
from bridgehead.core.plan.settings import ComponentRef

if TYPE_CHECKING:
    from bridgehead.core.findings.observed import Observed


class RuleDiagnosis:
    """One look at the cluster, asked about any number of components.

    ``baseline`` is a saved inventory with what nodes offered before. ``only`` is the component
    where it is one: in its namespace is read what may not be read everywhere.
    """

    def __init__(self, baseline: Path | None = None, only: ComponentRef | None = None) -> None:
        self._baseline = baseline
        self._about = Question(component=str(only)) if only is not None else Question()
        self._observed: Observed | None = None

    def of(self, component: ComponentRef) -> Diagnose:
        """The diagnosis of one component."""

        async def diagnose(session: Session) -> Diagnosis:
            from bridgehead.app.diagnose import diagnosed  # noqa: PLC0415 - all rules

            if self._observed is None:
                self._observed = await self._look(session)
            return diagnosed(self._observed, Question(component=str(component)))

        return diagnose

    async def _look(self, session: Session) -> "Observed":
        from bridgehead.app.diagnose import observe  # noqa: PLC0415 - all rules
        from bridgehead.app.history import history_of  # noqa: PLC0415

        return await observe(
            session.kube,
            self._about,
            now=session.clock(),
            state_namespace=session.state_namespace,
            extra=(history_of(self._baseline),) if self._baseline is not None else (),
        )


def anew(component: ComponentRef) -> Diagnose:
    """The diagnosis of one component, of a new look each time that it is asked for."""

    async def diagnose(session: Session) -> Diagnosis:
        return await RuleDiagnosis(only=component).of(component)(session)

    return diagnose
