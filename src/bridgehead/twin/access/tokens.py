"""Tokens of service accounts: made by TokenRequest, good until they expire or the account goes.

A token is a JWT with the claims of a real one. It is signed with a secret of the twin (HS256), not
with a key pair, because nobody but the twin has to verify it.

Source: k8s.io/kubernetes/pkg/serviceaccount/claims.go (1.37).
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

import msgspec

from bridgehead.twin.api.gate import User
from bridgehead.twin.clock import Clock
from bridgehead.twin.identifiers import Identifiers
from bridgehead.twin.kinds import Stored
from bridgehead.twin.objects import Object, at, fields, name_of, namespace_of, text, uid_of
from bridgehead.twin.store import Store

ISSUER = "https://kubernetes.default.svc"
"""Also the audience of tokens that are for the API server."""

_EXTRA = "authentication.kubernetes.io/"
_HEADER = {"alg": "HS256", "kid": "twin"}
_BOUND = {"pod": "pods", "node": "nodes", "secret": "secrets"}


class TokenError(Exception):
    """Why a token is not good; TokenReview says it."""


class Tokens:
    """Makes and reads tokens of service accounts."""

    def __init__(self, store: Store, clock: Clock, identifiers: Identifiers, secret: str) -> None:
        """``secret``: whoever knows it can make tokens."""
        self._store = store
        self._clock = clock
        self._identifiers = identifiers
        self._key = hashlib.sha256(f"service accounts {secret}".encode()).digest()

    def issue(
        self,
        account: Object,
        *,
        audiences: list[str],
        seconds: int,
        bound: Mapping[str, Object] | None = None,
    ) -> str:
        """A token of an account. ``bound``: by ``pod``, ``node`` or ``secret`` what must live on.

        A node without a uid is only named.
        """
        now = int(self._clock.now())
        claims = {
            "aud": audiences,
            "exp": now + seconds,
            "iat": now,
            "iss": ISSUER,
            "jti": self._identifiers.uid(),
            "kubernetes.io": {
                "namespace": namespace_of(account),
                **{kind: _reference(obj) for kind, obj in sorted((bound or {}).items())},
                "serviceaccount": _reference(account),
            },
            "nbf": now,
            "sub": user_name(namespace_of(account), name_of(account)),
        }
        signed = f"{_encoded(msgspec.json.encode(_HEADER))}.{_encoded(msgspec.json.encode(claims))}"
        return f"{signed}.{self._signature(signed)}"

    def read(self, token: str, audiences: list[str]) -> tuple[User, list[str]]:
        """Whose token it is, and for which of the audiences. Raises TokenError."""
        claims = self._claims(token)
        own = [audience for audience in claims["aud"] if audience in audiences]
        if not own:
            told = " ".join(f'"{audience}"' for audience in claims["aud"])
            wanted = " ".join(f'"{audience}"' for audience in audiences)
            raise TokenError(
                f"[invalid bearer token, token audiences [{told}] is invalid for the target "
                f"audiences [{wanted}]]"
            )
        try:
            return self._user(claims), own
        except TokenError as error:
            raise TokenError(f"[invalid bearer token, {error}]") from error

    def _claims(self, token: str) -> dict[str, Any]:
        signed, _, signature = token.rpartition(".")
        if not signed or not hmac.compare_digest(
            self._signature(signed).encode(), signature.encode()
        ):
            raise TokenError("invalid bearer token")
        try:
            padded = signed.partition(".")[2] + "=="
            claims: dict[str, Any] = msgspec.json.decode(base64.urlsafe_b64decode(padded))
        except (binascii.Error, msgspec.DecodeError) as reason:
            raise TokenError("invalid bearer token") from reason
        return claims

    def _user(self, claims: dict[str, Any]) -> User:
        if self._clock.now() >= claims["exp"]:
            raise TokenError("service account token has expired")
        private = claims["kubernetes.io"]
        namespace, account = private["namespace"], private["serviceaccount"]
        found = self._store.get(Stored("", "serviceaccounts"), namespace, account["name"])
        if found is None:
            raise TokenError(f'serviceaccounts "{account["name"]}" not found')
        if uid_of(found) != account["uid"]:
            raise TokenError(
                f"service account UID ({uid_of(found)}) does not match claim ({account['uid']})"
            )
        for kind in _BOUND:
            self._check_bound(kind, private)
        extra = {f"{_EXTRA}credential-id": (f"JTI={claims['jti']}",)}
        for kind in ("pod", "node"):
            for part in ("name", "uid"):
                if value := text(private, kind, part):
                    extra[f"{_EXTRA}{kind}-{part}"] = (value,)
        return User(
            name=claims["sub"],
            uid=account["uid"],
            groups=(*groups_of(namespace), "system:authenticated"),
            extra=extra,
        )

    def _check_bound(self, kind: str, private: Object) -> None:
        """Whether the object that a token depends on is still there."""
        reference = fields(private, kind)
        if not reference or (kind == "node" and "pod" in private):
            return
        namespace = "" if kind == "node" else private["namespace"]
        found = self._store.get(Stored("", _BOUND[kind]), namespace, reference["name"])
        if found is None:
            raise TokenError("service account token has been invalidated")
        if uid_of(found) != reference.get("uid"):
            raise TokenError(
                f"{kind} UID ({uid_of(found)}) does not match service account {kind} ref claim "
                f"({reference.get('uid')})"
            )

    def _signature(self, signed: str) -> str:
        return _encoded(hmac.digest(self._key, signed.encode(), "sha256"))


def user_name(namespace: str, name: str) -> str:
    """The user that a service account is."""
    return f"system:serviceaccount:{namespace}:{name}"


def account_of(user: str) -> tuple[str, str] | None:
    """Namespace and name of the service account that a user is."""
    parts = user.split(":")
    if len(parts) != 4 or parts[:2] != ["system", "serviceaccount"] or not all(parts[2:]):
        return None
    return parts[2], parts[3]


def groups_of(namespace: str) -> tuple[str, str]:
    """The groups of all service accounts of a namespace."""
    return "system:serviceaccounts", f"system:serviceaccounts:{namespace}"


def _reference(obj: Object) -> Object:
    uid = at(obj, "metadata", "uid")
    return {"name": name_of(obj), **({"uid": uid} if uid else {})}


def _encoded(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()
