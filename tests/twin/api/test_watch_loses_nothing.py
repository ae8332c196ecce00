"""Ten thousand random writes: each watch hears of each once, in order, whatever breaks meanwhile.

A model that knows nothing of the implementation says what a client with a selection must hear.
"""

import asyncio
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridgehead.twin.objects import Object
from tests.twin.api.asking import MERGE, Client, Reader, api_of, bare_registry, settle
from tests.twin.virtually import virtually

ROOT = "/api/v1/configmaps"
NAMESPACES = ("a", "b", "c")
Event = tuple[str, str, str, int]
"""Type, namespace, name, version."""


class Model:
    """What is there, and what everybody must have heard."""

    def __init__(self) -> None:
        self.objects: dict[tuple[str, str], str] = {}
        """Values of the label ``team``."""
        self.writes: list[tuple[tuple[str, str], str | None, str | None, int]] = []

    def write(self, key: tuple[str, str], team: str | None, version: int) -> None:
        """An object was written, or (None) has gone."""
        self.writes.append((key, self.objects.get(key), team, version))
        if team is None:
            del self.objects[key]
        else:
            self.objects[key] = team

    def events(self, namespace: str, team: str, after: int) -> list[Event]:
        """What a watch of a selection must say of all writes after a version."""
        found: list[Event] = []
        for (space, name), before, now, version in self.writes:
            if version <= after or namespace not in {"", space}:
                continue
            was = before is not None and team in {"", before}
            is_now = now is not None and team in {"", now}
            kind = {(True, True): "MODIFIED", (False, True): "ADDED", (True, False): "DELETED"}
            if (was, is_now) in kind:
                found.append((kind[was, is_now], space, name, version))
        return found

    def state(self, namespace: str, team: str) -> set[tuple[str, str]]:
        """Keys of a selection."""
        return {
            key
            for key, value in self.objects.items()
            if namespace in {"", key[0]} and team in {"", value}
        }


class Follower:
    """A client as client-go's reflector is one: lists, watches, comes again after each break."""

    def __init__(self, client: Client, namespace: str, team: str, *, streams: bool) -> None:
        self.client, self.namespace, self.team, self.streams = client, namespace, team, streams
        self.state: set[tuple[str, str]] = set()
        self.heard: list[Event] = []
        self.since = 0
        """The version of the list that ``heard`` goes on from."""
        self.version = 0
        self.expirations = 0
        self.bookmarks = 0
        self.reader: Reader | None = None

    @property
    def _url(self) -> str:
        root = f"/api/v1/namespaces/{self.namespace}/configmaps" if self.namespace else ROOT
        return f"{root}?allowWatchBookmarks=true&labelSelector={self._selector}"

    @property
    def _selector(self) -> str:
        return f"team%3D{self.team}" if self.team else ""

    async def begin(self) -> None:
        """List by pages and watch from there, or have the watch say what is there."""
        self.heard, self.state = [], set()
        if self.streams:
            more = "&watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
            self.reader = Reader(await self.client.watch(self._url + more))
            return
        token = ""
        while True:
            page = await self.client.get(f"{self._url}&limit=7&continue={token}")
            self.state |= {_key(item) for item in page["items"]}
            token = page["metadata"].get("continue", "")
            if not token:
                break
        self.since = self.version = int(page["metadata"]["resourceVersion"])
        await self.resume()

    async def resume(self) -> None:
        """Watch from the last version that is known."""
        url = f"{self._url}&watch=1&resourceVersion={self.version}"
        self.reader = Reader(await self.client.watch(url))

    async def drop(self) -> None:
        """The connection breaks."""
        assert self.reader is not None
        await self.take()
        await self.reader.close()
        self.reader = None

    async def take(self) -> None:
        """Read what has come; after a refusal begin anew."""
        await settle()
        assert self.reader is not None
        events, self.reader.events = self.reader.events, []
        for event in events:
            if event["type"] == "ERROR":
                assert event["object"]["code"] == 410
                self.expirations += 1
                await self.reader.close()
                await self.begin()
                await self.take()
                return
            self._hear(event)

    def _hear(self, event: Object) -> None:
        version = int(event["object"]["metadata"]["resourceVersion"])
        if event["type"] == "BOOKMARK":
            annotations = event["object"]["metadata"].get("annotations", {})
            if annotations.get("k8s.io/initial-events-end") == "true":
                self.since, self.heard = version, []
            assert version >= self.version
            self.version = version
            self.bookmarks += 1
            return
        key = _key(event["object"])
        if event["type"] == "ADDED":
            assert key not in self.state
            self.state.add(key)
        else:
            assert key in self.state
            if event["type"] == "DELETED":
                self.state.remove(key)
        self.heard.append((event["type"], *key, version))
        self.version = max(self.version, version)


def _key(obj: Object) -> tuple[str, str]:
    return obj["metadata"]["namespace"], obj["metadata"]["name"]


async def _write(client: Client, model: Model, chance: random.Random, names: int) -> None:
    """One write through the API, which the model learns of from the answers alone."""
    key = (chance.choice(NAMESPACES), f"m{chance.randrange(names)}")
    url = f"/api/v1/namespaces/{key[0]}/configmaps"
    team = chance.choice("xyz")
    body: dict[str, Any] = {
        "metadata": {"name": key[1], "labels": {"team": team}},
        "data": {"n": str(chance.random())},
    }
    if key not in model.objects:
        made = await client.ask("POST", url, body)
    elif chance.random() < 0.3:
        await client.ask("DELETE", f"{url}/{key[1]}")
        listed = await client.get(f"{ROOT}?limit=1")
        model.write(key, None, int(listed["metadata"]["resourceVersion"]))
        return
    elif chance.random() < 0.5:
        made = await client.ask("PUT", f"{url}/{key[1]}", body)
    else:
        made = await client.ask("PATCH", f"{url}/{key[1]}", body, content_type=MERGE)
    model.write(key, team, int(made["metadata"]["resourceVersion"]))


async def _play(seed: int, writes: int, *, names: int = 25, breaks: float = 0.01) -> list[Follower]:
    chance = random.Random(seed)
    registry = bare_registry(seed)
    client, model = Client(api_of(registry)), Model()
    followers = [
        Follower(client, namespace, team, streams=streams)
        for namespace in ("", "a")
        for team in ("", "x")
        for streams in (False, True)
    ]
    for follower in followers:
        await follower.begin()
    for _ in range(writes):
        await _write(client, model, chance, names)
        for follower in followers:
            if follower.reader is None:
                if chance.random() < 0.2:
                    await follower.resume()
            elif follower.reader.task.done() or chance.random() < breaks:
                await follower.drop()
        if chance.random() < breaks:
            registry.store.compact()
        if chance.random() < breaks / 4:
            await asyncio.sleep(chance.choice([61, 5_000]))  # bookmarks; the end of every watch
    for follower in followers:
        if follower.reader is not None:
            await follower.drop()
        await follower.resume()
        await follower.take()
        _check(model, follower)
        assert follower.reader is not None
        await follower.reader.close()
    assert len(client.api.watches) == 0
    return followers


def _check(model: Model, follower: Follower) -> None:
    assert follower.state == model.state(follower.namespace, follower.team)
    expected = model.events(follower.namespace, follower.team, follower.since)
    assert follower.heard == expected


@pytest.mark.parametrize("seed", [1])
def test_ten_thousand_writes_are_heard_once_each_over_breaks_and_compactions(seed: int) -> None:
    @virtually
    async def play() -> None:
        followers = await _play(seed, 10_000)
        assert all(follower.expirations for follower in followers)
        assert all(follower.bookmarks for follower in followers)

    play()


@virtually
async def test_without_compaction_a_client_hears_every_write_since_its_first_list() -> None:
    chance, registry = random.Random(3), bare_registry(3)
    client, model = Client(api_of(registry)), Model()
    follower = Follower(client, "", "", streams=False)
    await follower.begin()
    for _ in range(3_000):
        await _write(client, model, chance, 40)
        if chance.random() < 0.02:
            await follower.drop()
            await follower.resume()
    await follower.take()
    assert follower.heard == model.events("", "", 0)
    assert len(follower.heard) == 3_000
    await follower.drop()


@settings(max_examples=30)
@given(st.integers(min_value=0, max_value=1 << 32), st.floats(min_value=0, max_value=0.5))
def test_any_sequence_of_writes_and_breaks_is_heard_once(seed: int, breaks: float) -> None:
    @virtually
    async def play() -> None:
        await _play(seed, 60, names=4, breaks=breaks)

    play()
