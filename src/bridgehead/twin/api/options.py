"""What the query of a request asks for.

Sources: k8s.io/apimachinery/pkg/apis/meta/internalversion/validation, .../meta/v1/validation and
k8s.io/apimachinery/pkg/runtime/conversion.go (1.37).
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from bridgehead.twin.api.exchange import Request
from bridgehead.twin.api.field_selectors import Term, exact, parse_fields
from bridgehead.twin.api.labels import Requirement, parse_labels
from bridgehead.twin.errors import ApiError, Cause, bad_request, invalid
from bridgehead.twin.integers import int64
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, fields

_EXACT = "Exact"
_NOT_OLDER = "NotOlderThan"


class Query(Mapping[str, str]):
    """The first value of each parameter."""

    def __init__(self, request: Request) -> None:
        self._values: dict[str, str] = {}
        for key, value in request.query:
            self._values.setdefault(key, value)

    def __getitem__(self, key: str) -> str:
        return self._values[key]

    def __iter__(self) -> Any:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def text(self, key: str) -> str:
        """A parameter, or nothing."""
        return self._values.get(key, "")

    def flag(self, key: str) -> bool:
        """Whether a parameter is set to anything but ``false`` and ``0``."""
        value = self._values.get(key)
        return value is not None and value.lower() not in {"false", "0"}

    def number(self, key: str) -> int | None:
        """A whole number. Raises ApiError 400."""
        value = self._values.get(key)
        if not value:
            return None
        digits = value[1:] if value[0] in "+-" else value
        if not (digits.isascii() and digits.isdigit()):
            raise bad_request(f'strconv.ParseInt: parsing "{value}": invalid syntax')
        found = int64(value)
        if found is None:
            raise bad_request(f'strconv.ParseInt: parsing "{value}": value out of range')
        return found


class Selection(msgspec.Struct, frozen=True, kw_only=True):
    """Which objects of a resource are asked for."""

    namespace: str = ""
    labels: tuple[Requirement, ...] = ()
    fields: tuple[Term, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Whether no object of the namespace is left out."""
        return not self.labels and not self.fields

    def matches(self, obj: Object) -> bool:
        """Whether an object is asked for."""
        if self.labels:
            labels = fields(obj, "metadata", "labels")
            if not all(requirement.matches(labels) for requirement in self.labels):
                return False
        return all(term.matches(obj) for term in self.fields)

    def exactly(self, field: str) -> str | None:
        """The one value of a field that is asked for, where it is one."""
        return exact(self.fields, field)


class ListOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a list or a watch is asked for."""

    selection: Selection
    watch: bool = False
    bookmarks: bool = False
    initial_events: bool | None = None
    version: str = ""
    match: str = ""
    limit: int = 0
    token: str = ""
    """Where to go on, as an earlier page said it."""
    timeout: int = 0
    """Seconds; 0 for the server's own choice."""


def list_options(kind: Kind, namespace: str, name: str, request: Request) -> ListOptions:
    """Read the options of a list or watch. Raises ApiError: 400, 422."""
    query = Query(request)
    options = ListOptions(
        selection=Selection(
            namespace=namespace,
            labels=parse_labels(query.text("labelSelector")),
            fields=_fields(kind, name, query.text("fieldSelector")),
        ),
        watch=query.flag("watch"),
        bookmarks=query.flag("allowWatchBookmarks"),
        initial_events=(query.flag("sendInitialEvents") if "sendInitialEvents" in query else None),
        version=query.text("resourceVersion"),
        match=query.text("resourceVersionMatch"),
        limit=max(0, query.number("limit") or 0),
        token=query.text("continue"),
        timeout=max(0, query.number("timeoutSeconds") or 0),
    )
    causes = _watch_causes(options) if options.watch else _list_causes(options)
    if causes:
        raise invalid_options("ListOptions", causes)
    return options


def _fields(kind: Kind, name: str, selector: str) -> tuple[Term, ...]:
    terms = parse_fields(kind, selector)
    if not name:
        return terms
    if terms and exact(terms, "metadata.name") != name:
        raise bad_request("fieldSelector metadata.name doesn't match requested name")
    return terms or parse_fields(kind, f"metadata.name={name}")


def _list_causes(options: ListOptions) -> list[Cause]:
    causes: list[Cause] = []
    if options.match:
        field = "resourceVersionMatch"
        if not options.version:
            causes.append(
                _forbidden(field, f"{field} is forbidden unless resourceVersion is provided")
            )
        if options.token:
            causes.append(_forbidden(field, f"{field} is forbidden when continue is provided"))
        if options.match not in {_EXACT, _NOT_OLDER}:
            causes.append(not_supported(field, f'"{options.match}"', [_EXACT, _NOT_OLDER, ""]))
        if options.match == _EXACT and options.version == "0":
            causes.append(
                _forbidden(field, f'{field} "exact" is forbidden for resourceVersion "0"')
            )
    if options.initial_events is not None:
        causes.append(_forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return causes


def _watch_causes(options: ListOptions) -> list[Cause]:
    field = "resourceVersionMatch"
    causes: list[Cause] = []
    if options.initial_events is not None and options.match != _NOT_OLDER:
        why = f"sendInitialEvents requires setting {field} to {_NOT_OLDER}"
        causes.append(_forbidden(field, why))
    if options.match:
        if options.initial_events is None:
            why = f"{field} is forbidden for watch unless sendInitialEvents is provided"
            causes.append(_forbidden(field, why))
        if options.match != _NOT_OLDER:
            causes.append(not_supported(field, f'"{options.match}"', [_NOT_OLDER]))
        if options.token:
            causes.append(_forbidden(field, f"{field} is forbidden when continue is provided"))
    return causes


class WriteOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How a write is asked for."""

    dry_run: bool = False
    manager: str = ""
    """``fieldManager``; the program's name from its User-Agent where none is given."""
    validation: Literal["Ignore", "Warn", "Strict"] = "Warn"
    force: bool = False


def write_options(request: Request, kind_of_options: str, *, apply: bool = False) -> WriteOptions:
    """Read the options of a creation, update or patch. Raises ApiError 422."""
    query = Query(request)
    validation = query.text("fieldValidation") or "Warn"
    manager = query.text("fieldManager")
    dry_run = [value for key, value in request.query if key == "dryRun" and value]
    causes: list[Cause] = []
    if kind_of_options == "PatchOptions" and "force" in query and not apply:
        causes.append(_forbidden("force", "may not be specified for non-apply patch"))
    if apply and not manager:
        causes.append(
            Cause(
                reason="FieldValueRequired",
                message="Required value: is required for apply patch",
                field="fieldManager",
            )
        )
    if len(manager) > 128:
        causes.append(
            Cause(
                reason="FieldValueTooLong",
                message="Too long: may not be more than 128 bytes",
                field="fieldManager",
            )
        )
    causes += dry_run_causes(dry_run)
    if validation not in {"Ignore", "Warn", "Strict"}:
        supported = ["", "Ignore", "Strict", "Warn"]
        causes.append(not_supported("fieldValidation", f'"{validation}"', supported))
    if causes:
        raise invalid_options(kind_of_options, causes)
    return WriteOptions(
        dry_run=bool(dry_run),
        manager=manager or program_of(request),
        validation=validation,  # type: ignore[arg-type] # one of three, as was checked
        force=query.flag("force"),
    )


def dry_run_causes(dry_run: list[str]) -> list[Cause]:
    """What is wrong with ``dryRun``, whose only value is ``All``."""
    if all(value == "All" for value in dry_run):
        return []
    told = ",".join(f'"{value}"' for value in dry_run)
    return [not_supported("dryRun", f"[{told}]", ["All"])]


def program_of(request: Request) -> str:
    """The manager of fields that a request's User-Agent stands for.

    Source: managerOrUserAgent of k8s.io/apiserver/pkg/endpoints/handlers/create.go.
    """
    agent = request.headers.get("user-agent", "").split("/", 1)[0]
    return "".join(letter for letter in agent[:128] if letter.isprintable()) or "unknown"


def invalid_options(kind: str, causes: list[Cause]) -> ApiError:
    """422 of options, which have no name."""
    return invalid(Kind(group="meta.k8s.io", version="v1", kind=kind, plural=""), "", causes)


def _forbidden(field: str, why: str) -> Cause:
    return Cause(reason="FieldValueForbidden", message=f"Forbidden: {why}", field=field)


def not_supported(field: str, value: str, supported: list[str]) -> Cause:
    """A value beside the ones that there are."""
    told = ", ".join(f'"{item}"' for item in supported)
    message = f"Unsupported value: {value}: supported values: {told}"
    return Cause(reason="FieldValueNotSupported", message=message, field=field)
