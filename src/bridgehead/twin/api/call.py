"""One request that has been understood: who asks what of which kind."""

import msgspec

from bridgehead.twin.api.addresses import Address
from bridgehead.twin.api.exchange import Request
from bridgehead.twin.api.gate import User
from bridgehead.twin.api.negotiation import Form
from bridgehead.twin.kinds import Kind


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """What a part of the API gets to answer."""

    request: Request
    address: Address
    kind: Kind
    verb: str
    user: User
    form: Form

    @property
    def namespace(self) -> str:
        """Of the object; empty for one of the whole cluster."""
        return self.address.namespace if self.kind.namespaced else ""

    @property
    def name(self) -> str:
        """Of the object that the path names."""
        return self.address.name
