"""Text of a Secret becomes data.

Source: k8s.io/kubernetes/pkg/apis/core/v1/conversion.go (``stringData`` can be written only).
"""

import base64

from bridgehead.twin.objects import Object


def with_text_encoded(obj: Object) -> None:
    """Move ``stringData`` into ``data``."""
    plain = obj.pop("stringData", None)
    if plain:
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in plain.items()}
        obj["data"] = {**(obj.get("data") or {}), **encoded}
