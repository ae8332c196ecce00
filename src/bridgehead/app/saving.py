"""Writes what was observed as a recorded state: read back, it gives the same diagnosis."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import yaml

from bridgehead.app.observed_recording import log_name
from bridgehead.core.findings.log_text import written
from bridgehead.core.findings.needs import KINDS, Need
from bridgehead.core.findings.observed import Observed
from bridgehead.core.inventory.objects import pod_object
from bridgehead.core.journal.entry import stamp
from bridgehead.core.model.json import JsonObject, text
from bridgehead.core.model.snapshot import Unread
from bridgehead.report.inventory import pretty_json
from bridgehead.sources.log_files import FOLDER
from bridgehead.sources.recorded import NAME, LogRemark


class NotEmptyError(ValueError):
    """A folder that holds something already: what is there would be read with what is saved."""


def save_observed(observed: Observed, folder: Path) -> None:
    """Write objects by kind, logs, and what is to be known of both. Secrets are out of it already.

    Raises NotEmptyError and OSError.
    """
    if folder.exists() and any(folder.iterdir()):
        raise NotEmptyError(f"{folder} is not empty: name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    for kind, items in observed.objects.items():
        if items:
            _write(folder / f"{kind}.json", _listed(items))
    nouns = _nouns(observed)
    if nouns:
        _write(folder / "Pod-trimmed.json", _listed(nouns))
    for key, log in observed.logs.items():
        _write(folder / FOLDER / log_name(key), written(log))
    about = yaml.safe_dump(_about(observed), sort_keys=False, allow_unicode=True)
    _write(folder / NAME, about)


def _nouns(observed: Observed) -> list[JsonObject]:
    """Pods of which no whole object is kept, as far as they are known."""
    whole = {
        (text(item, "metadata", "namespace"), text(item, "metadata", "name"))
        for item in observed.of_kind("Pod")
    }
    pods = observed.snapshot.pods
    return [pod_object(pod) for pod in pods if (pod.namespace, pod.name) not in whole]


def _about(observed: Observed) -> dict[str, object]:
    every = {kind for kinds in KINDS.values() for kind in kinds}
    complete = {kind for need, kinds in KINDS.items() if observed.has(need) for kind in kinds}
    remarks = {
        log_name(key): msgspec.to_builtins(remark)
        for key, log in observed.logs.items()
        if (remark := LogRemark(cut=log.cut, note=log.note, gap=log.gap)) != LogRemark()
    }
    return {
        "at": stamp(observed.now),
        "server": observed.snapshot.server,
        "complete": sorted(complete),
        "incomplete": sorted(every - complete),
        "unread": [_plain(item) for item in observed.unread],
        **({"logs": remarks} if observed.has(Need.LOGS) else {}),
    }


def _plain(item: Unread) -> dict[str, str]:
    return {"what": item.what, "why": item.why, "grant": item.grant}


def _listed(items: Iterable[JsonObject]) -> str:
    return pretty_json({"apiVersion": "v1", "kind": "List", "items": list(items)})


def _write(path: Path, content: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(content, encoding="utf-8", newline="")
