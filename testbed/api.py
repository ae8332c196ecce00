"""A minimal client of the API server, for the test bed's own needs only.

The product's client is one of the things under test, so the test bed does not use it.
"""

from __future__ import annotations

import http.client
import json
import ssl
from collections.abc import Iterator
from contextlib import closing
from typing import Any

from testbed.errors import TestbedError
from testbed.state import Addresses, State

Object = dict[str, Any]


class ApiError(TestbedError):
    """The API server answered with an error status."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(f"HTTP {status}: {text}")
        self.status = status


class Api:
    """Requests as the cluster's administrator, a connection each."""

    def __init__(self, state: State) -> None:
        self._host = Addresses(state.record().slot).api
        self._ssl = ssl.create_default_context(cafile=str(state.pki("ca.crt")))
        self._ssl.load_cert_chain(state.pki("admin.crt"), state.pki("admin.key"))

    def get(self, path: str) -> Object:
        """Read an object or a list."""
        return self.request("GET", path)

    def create(self, path: str, body: Object) -> Object:
        """Create an object; one that exists already is fine."""
        try:
            return self.request("POST", path, body)
        except ApiError as error:
            if error.status == http.client.CONFLICT:
                return {}
            raise

    def patch(self, path: str, body: Object | list[Object]) -> Object:
        """Merge patch, or JSON patch when the body is a list."""
        kind = "json-patch" if isinstance(body, list) else "merge-patch"
        return self.request("PATCH", path, body, f"application/{kind}+json")

    def delete(self, path: str, *, grace: int | None = None) -> None:
        """Delete an object; a missing one is fine."""
        try:
            self.request("DELETE", path, {} if grace is None else {"gracePeriodSeconds": grace})
        except ApiError as error:
            if error.status != http.client.NOT_FOUND:
                raise

    def watch(self, path: str, version: str, *, patience: float) -> Iterator[Object]:
        """Watch events of a list after its resourceVersion, until the server ends the watch.

        Ends as well where nothing was said for ``patience`` seconds: go on from the last version.
        """
        connection = http.client.HTTPSConnection(self._host, timeout=30, context=self._ssl)
        with closing(connection):
            connection.request("GET", f"{path}?watch=true&resourceVersion={version}")
            answer = connection.getresponse()
            connection.sock.settimeout(patience)
            try:
                for line in answer:
                    yield json.loads(line)
            except TimeoutError:
                return

    def ready(self) -> bool:
        """Whether the API server says that it is ready."""
        try:
            self.request("GET", "/readyz")
        except (OSError, http.client.HTTPException, ApiError):
            return False
        return True

    def request(
        self,
        method: str,
        path: str,
        body: Object | list[Object] | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> Object:
        """Send a request and return the decoded answer.

        Raises ApiError for an error status, OSError when there is no connection.
        """
        content = self.answer(method, path, body, content_type, accept)
        if not content.startswith(b"{"):  # "ok"; the index of OpenAPI is JSON as text/plain
            return {}
        decoded: Object = json.loads(content)
        return decoded

    def answer(
        self,
        method: str,
        path: str,
        body: Object | list[Object] | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> bytes:
        """Send a request and return the answer's bytes; raises as ``request`` does."""
        connection = http.client.HTTPSConnection(self._host, timeout=30, context=self._ssl)
        try:
            connection.request(
                method,
                path,
                body=None if body is None else json.dumps(body),
                headers={"Content-Type": content_type, "Accept": accept},
            )
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        if answer.status >= http.client.BAD_REQUEST:
            raise ApiError(answer.status, content.decode(errors="replace")[:2000])
        return content
