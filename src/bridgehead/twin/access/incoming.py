"""The body of a review or a token request: read, checked, and with its managers.

Nothing of it is stored, but clients see the managers all the same.
"""

from collections.abc import Callable

from bridgehead.twin.api.call import Call
from bridgehead.twin.api.incoming import check_namespace, check_types, read_object
from bridgehead.twin.api.options import write_options
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object
from bridgehead.twin.patches.tracking import tracked
from bridgehead.twin.registry import Registry
from bridgehead.twin.schema.decoding import decoded
from bridgehead.twin.schema.shapes import shape_of


def read_review(
    call: Call,
    registry: Registry,
    kind: Kind | None = None,
    fill: Callable[[Object], None] | None = None,
) -> Object:
    """The object in the body, in the form of the server's types. Raises ApiError: 400, 415, 422.

    ``kind``: of the body, where it is not the call's. ``fill``: sets defaults in a private copy.
    """
    options = write_options(call.request, "CreateOptions")
    of = kind or call.kind
    review = read_object(call, registry.kinds, expected=kind)
    check_types(of, review)
    if kind is None:
        review = check_namespace(call, review)
    review = decoded(of, review)
    if fill is not None:
        fill(review)
    return tracked(
        None,
        review,
        kind=of,
        shape=shape_of(of),
        manager=options.manager,
        subresource=call.address.subresource,
        now=registry.clock.timestamp(),
    )
