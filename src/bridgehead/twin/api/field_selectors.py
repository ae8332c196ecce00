"""Field selectors: which fields a kind can be selected by, and how they are written.

Sources: k8s.io/apimachinery/pkg/fields/selector.go; pkg/apis/*/v1/conversion.go and
pkg/registry/*/*/strategy.go of Kubernetes 1.37.
"""

import re
from collections.abc import Callable, Mapping

import msgspec

from bridgehead.twin.errors import bad_request
from bridgehead.twin.kinds import Kind
from bridgehead.twin.objects import Object, at, items, name_of, namespace_of, text

_TERM = re.compile(r"(.*?)(!=|==|=)(.*)", re.DOTALL)

ValueOf = Callable[[Object], str]
"""A field as a selector compares it."""


class Term(msgspec.Struct, frozen=True):
    """One condition on one field."""

    field: str
    value: str
    equal: bool
    value_of: ValueOf

    def matches(self, obj: Object) -> bool:
        """Whether an object meets it."""
        return (self.value_of(obj) == self.value) is self.equal


def _at(*path: str) -> ValueOf:
    return lambda obj: text(obj, *path)


def _flag(*path: str) -> ValueOf:
    return lambda obj: "true" if at(obj, *path) else "false"


def _number(*path: str) -> ValueOf:
    return lambda obj: str(at(obj, *path) or 0)


def _first_pod_ip(pod: Object) -> str:
    addresses = items(pod, "status", "podIPs")
    return text(addresses[0], "ip") if addresses else ""


def _source(event: Object) -> str:
    return text(event, "source", "component") or text(event, "reportingComponent")


_META: Mapping[str, ValueOf] = {"metadata.name": name_of, "metadata.namespace": namespace_of}
_INVOLVED = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")

_FIELDS: Mapping[tuple[str, str], Mapping[str, ValueOf]] = {
    ("", "pods"): {
        "spec.nodeName": _at("spec", "nodeName"),
        "spec.host": _at("spec", "nodeName"),
        "spec.restartPolicy": _at("spec", "restartPolicy"),
        "spec.schedulerName": _at("spec", "schedulerName"),
        "spec.serviceAccountName": _at("spec", "serviceAccountName"),
        "spec.hostNetwork": _flag("spec", "hostNetwork"),
        "status.phase": _at("status", "phase"),
        "status.podIP": _first_pod_ip,
        "status.podIPs": _first_pod_ip,
        "status.nominatedNodeName": _at("status", "nominatedNodeName"),
    },
    ("", "nodes"): {"spec.unschedulable": _flag("spec", "unschedulable")},
    ("", "namespaces"): {"status.phase": _at("status", "phase")},
    ("", "secrets"): {"type": _at("type")},
    ("", "services"): {
        "spec.clusterIP": _at("spec", "clusterIP"),
        "spec.type": _at("spec", "type"),
    },
    ("", "replicationcontrollers"): {"status.replicas": _number("status", "replicas")},
    ("apps", "replicasets"): {"status.replicas": _number("status", "replicas")},
    ("batch", "jobs"): {"status.successful": _number("status", "succeeded")},
    ("certificates.k8s.io", "certificatesigningrequests"): {
        "spec.signerName": _at("spec", "signerName")
    },
    ("resource.k8s.io", "resourceslices"): {
        "spec.nodeName": _at("spec", "nodeName"),
        "spec.driver": _at("spec", "driver"),
        "spec.pool.name": _at("spec", "pool", "name"),
    },
    ("", "events"): {
        **{f"involvedObject.{name}": _at("involvedObject", name) for name in _INVOLVED},
        "reason": _at("reason"),
        "reportingComponent": _at("reportingComponent"),
        "source": _source,
        "type": _at("type"),
    },
    ("events.k8s.io", "events"): {
        **{f"regarding.{name}": _at("involvedObject", name) for name in _INVOLVED},
        "reason": _at("reason"),
        "reportingController": _at("reportingComponent"),
        "type": _at("type"),
    },
}

_NOT_SUPPORTED: Mapping[tuple[str, str], str] = {
    ("batch", "jobs"): 'field label "{}" not supported for Job',
    ("resource.k8s.io", "resourceslices"): (
        "field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: {}"
    ),
}
_UNKNOWN = '"{}" is not a known field selector: only "metadata.name", "metadata.namespace"'


def parse_fields(kind: Kind, selector: str) -> tuple[Term, ...]:
    """The conditions of a selector. Raises ApiError 400, also for a field that cannot be asked."""
    known = {**_META, **_FIELDS.get((kind.group, kind.plural), {})}
    terms: list[Term] = []
    for part in sorted(re.findall(r"(?:\\.|[^\\,])+", selector, re.DOTALL)):
        match = _TERM.fullmatch(part)
        if match is None:
            raise bad_request(f"invalid selector: '{selector}'; can't understand '{part}'")
        name, operator, value = match.groups()
        value_of = known.get(name)
        if value_of is None:
            raise bad_request(_refusal(kind).format(name))
        terms.append(Term(name, _unescaped(value), operator != "!=", value_of))
    return tuple(terms)


def _refusal(kind: Kind) -> str:
    key = (kind.group, kind.plural)
    if key in _NOT_SUPPORTED:
        return _NOT_SUPPORTED[key]
    return "field label not supported: {}" if key in _FIELDS else _UNKNOWN


def _unescaped(value: str) -> str:
    if bad := re.search(r"\\(?![\\,=])(.?)", re.sub(r"\\[\\,=]", "", value)):
        raise bad_request(f"invalid field selector: invalid escape sequence: \\{bad[1]}")
    if bare := re.search(r"[,=]", re.sub(r"\\.", "", value)):
        raise bad_request(f"invalid field selector: unescaped character in value: {ord(bare[0])}")
    return re.sub(r"\\(.)", r"\1", value)


def exact(terms: tuple[Term, ...], field: str) -> str | None:
    """The value that a selector asks of a field, where it asks for one."""
    return next((term.value for term in terms if term.field == field and term.equal), None)
