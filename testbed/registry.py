"""Push images into the test bed's registry and delete them (OCI distribution API, plain HTTP)."""

from __future__ import annotations

import http.client
from collections.abc import Mapping
from dataclasses import dataclass

from testbed.errors import TestbedError
from testbed.images import MANIFEST, Image, pack, split_name

_TIMEOUT = 30.0  # seconds for one request on the same machine


@dataclass(frozen=True)
class Registry:
    """A registry that answers at `address` (host:port) without TLS and without credentials."""

    address: str

    def push(self, name: str, image: Image) -> str:
        """Store the image under its repository and tag, and return its digest.

        The host in the name is not looked at; nodes pull it as `<address>/<repository>:<tag>`.
        """
        _, repository, tag = split_name(name)
        packed = pack(image)
        for digest, content in packed.blobs.items():
            self._push_blob(repository, digest, content)
        self._send(
            "PUT",
            f"/v2/{repository}/manifests/{tag}",
            packed.manifest,
            {"Content-Type": MANIFEST},
            expect=201,
        )
        return packed.digest

    def delete(self, name: str) -> None:
        """Remove the image that the tag names, and with it every tag of the same digest.

        Raises TestbedError when it is not there.
        """
        _, repository, tag = split_name(name)
        found = self._send(
            "HEAD", f"/v2/{repository}/manifests/{tag}", headers={"Accept": MANIFEST}, expect=200
        )
        digest = found["docker-content-digest"]
        self._send("DELETE", f"/v2/{repository}/manifests/{digest}", expect=202)

    def _push_blob(self, repository: str, digest: str, content: bytes) -> None:
        if self._has(f"/v2/{repository}/blobs/{digest}"):
            return
        opened = self._send("POST", f"/v2/{repository}/blobs/uploads/", expect=202)
        location = opened["location"].removeprefix(f"http://{self.address}")
        mark = "&" if "?" in location else "?"
        self._send(
            "PUT",
            f"{location}{mark}digest={digest}",
            content,
            {"Content-Type": "application/octet-stream"},
            expect=201,
        )

    def _has(self, path: str) -> bool:
        status, _ = self._request("HEAD", path, b"", {})
        return status == 200

    def _send(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
        *,
        expect: int,
    ) -> dict[str, str]:
        status, answered = self._request(method, path, body, headers or {})
        if status != expect:
            raise TestbedError(f"registry {self.address}: {method} {path} was answered {status}")
        return answered

    def _request(
        self, method: str, path: str, body: bytes, headers: Mapping[str, str]
    ) -> tuple[int, dict[str, str]]:
        connection = http.client.HTTPConnection(self.address, timeout=_TIMEOUT)
        try:
            connection.request(method, path, body, dict(headers))
            answer = connection.getresponse()
            answer.read()
        except OSError as error:
            raise TestbedError(f"registry {self.address} does not answer: {error}") from error
        else:
            return answer.status, {key.lower(): value for key, value in answer.getheaders()}
        finally:
            connection.close()
