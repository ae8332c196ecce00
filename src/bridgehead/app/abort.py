"""The use case ``abort``: take an open run back, whoever is at it."""

from bridgehead.app.asking import Asker, Outcome, file, see_to_it
from bridgehead.app.following import Answer, Following
from bridgehead.app.pause import NotOpen
from bridgehead.app.session import Session
from bridgehead.app.subject import OpenRun, Subject, find
from bridgehead.core.journal.entry import stamp
from bridgehead.core.rollout.control import Abort


async def abort(session: Session, subject: Subject, asker: Asker) -> Outcome | NotOpen:
    """Ask for the run to be taken back, and see it through to its ending.

    A runner that lives does it, however long that takes, and its records are told; without one this
    process does. Raises StillAsked, KubeError and ClusterError.
    """
    found = await find(session, subject)
    if not isinstance(found, OpenRun):
        return found
    user = await session.kube.self_subject_review()
    request = Abort(
        time=stamp(session.clock()),
        identity=user.username,
        actor=asker.actor,
        reason=asker.reason,
    )
    number = await file(session, found, request)
    return await see_to_it(session, Following(session, found), request, number, enough=Answer.DONE)
