"""Plays scripts on a real cluster and keeps what it said: ``recorded/NAME.yaml``.

uv run python -m tests.twin.differential.record --cluster-name NAME [SCRIPT ...]
"""

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import Any

import msgspec
import yaml

from testbed.cluster import Cluster
from tests.twin.differential.playing import Outcome, played
from tests.twin.differential.real import real_ground
from tests.twin.differential.script import Script, load, script_names

RECORDED = Path(__file__).parent / "recorded"


def recorded(name: str) -> list[Outcome]:
    """What the real server said to a script."""
    raw = yaml.load((RECORDED / f"{name}.yaml").read_text(), Loader=yaml.CSafeLoader)
    return msgspec.convert(raw, list[Outcome])


async def on_real_cluster(script: Script, cluster: Cluster, folder: Path) -> list[Outcome]:
    """Play a script on the test bed's cluster."""
    async with real_ground(script, cluster, folder) as ground:
        return await played(script, ground)


def write(name: str, outcomes: list[Outcome]) -> None:
    """Keep the outcomes of a script, in a form whose changes can be read."""
    text = yaml.dump(
        msgspec.to_builtins(outcomes),
        Dumper=_Readable,
        sort_keys=False,
        allow_unicode=True,
        width=10_000,
    )
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / f"{name}.yaml").write_text(text)


class _Readable(yaml.SafeDumper):
    """Texts of several lines as blocks."""


def _block(dumper: yaml.SafeDumper, text: str) -> Any:
    style = "|" if "\n" in text else None
    return dumper.represent_scalar("tag:yaml.org,2002:str", text, style=style)


_Readable.add_representer(str, _block)


def main() -> None:
    """Record the scripts that are named, or all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--cluster-name", required=True)
    parser.add_argument("scripts", nargs="*")
    options = parser.parse_args()
    for name in options.scripts or script_names():
        with tempfile.TemporaryDirectory() as folder:
            cluster = Cluster(options.cluster_name)
            outcomes = asyncio.run(on_real_cluster(load(name), cluster, Path(folder)))
        write(name, outcomes)
        print(f"{name}: {len(outcomes)} interactions")  # noqa: T201


if __name__ == "__main__":
    main()
