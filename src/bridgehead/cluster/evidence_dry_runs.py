"""Whether namespaces would take pods of plugins: asked by dry runs, which store nothing.

They are sent as whoever runs this, without an owner, of a template as it was read, secrets taken
out: a check that looks at any of these may answer the DaemonSet controller otherwise.
"""

import asyncio
from collections.abc import Collection

import msgspec

from bridgehead.cluster.dry_run import Answer, pod_answer
from bridgehead.core.findings.redaction import redacted
from bridgehead.core.model.json import JsonObject
from bridgehead.core.model.snapshot import Unread
from bridgehead.kube.client import Kube
from bridgehead.kube.errors import ApiError, Forbidden, NotFound

PATIENCE = 20.0
"""Seconds that one question may take: longer than a webhook may, shorter than the client repeats
a request that ends with an error of the server."""
_AT_ONCE = 4


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """A DaemonSet, of which a pod is tried."""

    namespace: str
    name: str
    template: JsonObject

    @property
    def component(self) -> str:
        """As other objects name it."""
        return f"daemonset/{self.namespace}/{self.name}"


async def pod_dry_runs(
    kube: Kube, trials: Collection[Trial]
) -> tuple[tuple[JsonObject, ...], tuple[Unread, ...]]:
    """A ``PodDryRun`` for each of them whose namespace exists, and what was not answered.

    ``accepted`` is null in one that was not answered. Raises KubeError where no server answers.
    """
    slots = asyncio.Semaphore(_AT_ONCE)

    async def one(trial: Trial) -> tuple[JsonObject | None, Unread | None]:
        async with slots:
            return await _tried(kube, trial)

    order = sorted(trials, key=lambda item: item.component)
    found = await asyncio.gather(*(one(item) for item in order))
    objects = tuple(item for item, _ in found if item is not None)
    return objects, tuple(item for _, item in found if item is not None)


async def _tried(kube: Kube, trial: Trial) -> tuple[JsonObject | None, Unread | None]:
    grant = ""
    try:
        async with asyncio.timeout(PATIENCE):
            answer = await pod_answer(kube, trial.namespace, trial.name, trial.template)
    except NotFound:
        return None, None
    except Forbidden as error:
        grant = f"create pods in namespace {trial.namespace}"
        answer = Answer(None, error.message)
    except ApiError as error:
        answer = Answer(None, error.message)
    except TimeoutError:
        answer = Answer(None, f"the API server did not answer within {PATIENCE:.0f} s")
    told = _object(trial, answer)
    if answer.accepted is not None:
        return told, None
    return told, Unread(f"dry run of a pod of {trial.component}", answer.message, grant)


def _object(trial: Trial, answer: Answer) -> JsonObject:
    return redacted(
        {
            "apiVersion": "bridgehead.dev/v1",
            "kind": "PodDryRun",
            "metadata": {"namespace": trial.namespace, "name": trial.name},
            "status": {
                "component": trial.component,
                "accepted": answer.accepted,
                "message": answer.message,
            },
        }
    )
