"""Runs a program beside a twin that lives in this process's event loop."""

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path


async def run(*command: str | Path, environment: Mapping[str, str], patience: float = 60) -> str:
    """What the program printed. Raises AssertionError where it fails or does not end."""
    process = await asyncio.create_subprocess_exec(
        *map(str, command),
        env={**os.environ, **environment},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(patience):
            stdout, stderr = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise AssertionError(f"{command} did not end") from None
    assert process.returncode == 0, f"{command}: {stderr.decode()}"
    return stdout.decode()
