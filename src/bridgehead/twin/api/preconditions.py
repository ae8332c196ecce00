"""What a write must say of the object that it replaces, and what it must leave as it was.

Sources: k8s.io/apiserver/pkg/registry/generic/registry/store.go (Update), .../rest/update.go and
``AllowUnconditionalUpdate`` of each registry (1.37).
"""

from bridgehead.twin.errors import ApiError, Cause, invalid
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, text, uid_of
from bridgehead.twin.schema.validation.causes import IMMUTABLE
from bridgehead.twin.schema.validation.causes import invalid as invalid_value

_CONDITIONAL = frozenset(
    {
        *("leases", "leasecandidates", "poddisruptionbudgets", "runtimeclasses", "csidrivers"),
        *("csinodes", "csistoragecapacities", "volumeattachments", "clustertrustbundles"),
        *("podcertificaterequests", "storageversionmigrations", "customresourcedefinitions"),
        *("apiservices", "validatingadmissionpolicies", "validatingadmissionpolicybindings"),
        *("mutatingadmissionpolicies", "mutatingadmissionpolicybindings"),
        *("validatingwebhookconfigurations", "mutatingwebhookconfigurations"),
    }
)
"""Resources that are updated only by who says which version is replaced."""


def check_version(kind: Kind, obj: Object, *, update: bool = False) -> None:
    """Raises ApiError 500 of a version that is no number, 422 of one that ``update`` lacks."""
    version = text(obj, "metadata", "resourceVersion")
    if version and not (version.isascii() and version.isdigit()):
        raise ApiError(500, "", f'strconv.ParseUint: parsing "{version}": invalid syntax')
    if update and version in {"", "0"} and (kind.custom or kind.plural in _CONDITIONAL):
        cause = invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
        raise _named_by_plural(kind, text(obj, "metadata", "name"), cause)


def _named_by_plural(kind: Kind, name: str, cause: Cause) -> ApiError:
    """The registry tells its resource where validation tells the kind."""
    error = invalid(kind, name, [cause])
    error.status["message"] = (
        f'{kind.qualified} "{name}" is invalid: {cause["field"]}: {cause["message"]}'
    )
    error.status["details"]["kind"] = kind.plural
    return error


def check_uid(kind: Kind, obj: Object, old: Object) -> None:
    """Raises ApiError 422 where a patch makes an object another one."""
    if (uid := uid_of(obj)) and uid != uid_of(old):
        cause = invalid_value("metadata.uid", uid, IMMUTABLE)
        raise invalid(kind, text(old, "metadata", "name"), [cause])
