"""Bodies in protobuf: those of kubectl 1.37, as it sent them, and some that are none."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridgehead.twin.schema.protobuf import ProtobufError, read_protobuf

SENT: dict[str, tuple[str, Any]] = {
    "create configmap a --from-literal=x=y": (
        "azhzAAoPCgJ2MRIJQ29uZmlnTWFwEhsKEQoBYRIAGgAiACoAMgA4AEIAEgYKAXgSAXkaACIA",
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y"}},
    ),
    "create secret generic a --from-literal=x=y": (
        "azhzAAoMCgJ2MRIGU2VjcmV0Eh0KEQoBYRIAGgAiACoAMgA4AEIAEgYKAXgSAXkaABoAIgA=",
        {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}, "data": {"x": "eQ=="}},
    ),
    "create deployment d --image=x --replicas=3": (
        "azhzAAoVCgdhcHBzL3YxEgpEZXBsb3ltZW50EpsBChsKAWQSABoAIgAqADIAOABCAFoICgNhcHASAWQSbggDEgoK"
        "CAoDYXBwEgFkGlYKGgoAEgAaACIAKgAyADgAQgBaCAoDYXBwEgFkEjgSGgoBeBIBeCoAQgBqAHIAgAEAiAEAkAEA"
        "ogEAGgAyAEIASgBSAFgAYABoAIIBAIoBAJoBAMIBACICCgAoADgAGgwIABAAGAAgACgAOAAaACIA",
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "metadata": {"name": "d", "labels": {"app": "d"}},
            "spec": {
                "replicas": 3,
                "selector": {"matchLabels": {"app": "d"}},
                "template": {
                    "metadata": {"labels": {"app": "d"}},
                    "spec": {"containers": [{"name": "x", "image": "x", "resources": {}}]},
                },
                "strategy": {},
            },
            "status": {},
        },
    ),
    "create pdb p --selector=a=b --min-available=50%": (
        "azhzAAogCglwb2xpY3kvdjESE1BvZERpc3J1cHRpb25CdWRnZXQSNgoRCgFwEgAaACIAKgAyADgAQgASFQoJCAEQ"
        "ABoDNTAlEggKBgoBYRIBYhoKCAAYACAAKAAwABoAIgA=",
        {
            "apiVersion": "policy/v1",
            "kind": "PodDisruptionBudget",
            "metadata": {"name": "p"},
            "spec": {"minAvailable": "50%", "selector": {"matchLabels": {"a": "b"}}},
            "status": {
                "disruptionsAllowed": 0,
                "currentHealthy": 0,
                "desiredHealthy": 0,
                "expectedPods": 0,
            },
        },
    ),
    "create service nodeport s --tcp=80:http --tcp=81:82": (
        "azhzAAoNCgJ2MRIHU2VydmljZRJ/ChsKAXMSABoAIgAqADIAOABCAFoICgNhcHASAXMSXAoeCgc4MC1odHRwEgNU"
        "Q1AYUCIKCAEQABoEaHR0cCgAChgKBTgxLTgyEgNUQ1AYUSIGCAAQUhoAKAASCAoDYXBwEgFzGgAiCE5vZGVQb3J0"
        "OgBCAFIAWgBgAGgAGgIKABoAIgA=",
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {"name": "s", "labels": {"app": "s"}},
            "spec": {
                "ports": [
                    {"name": "80-http", "protocol": "TCP", "port": 80, "targetPort": "http"},
                    {"name": "81-82", "protocol": "TCP", "port": 81, "targetPort": 82},
                ],
                "selector": {"app": "s"},
                "type": "NodePort",
            },
            "status": {"loadBalancer": {}},
        },
    ),
    "create quota q --hard=cpu=1,pods=10": (
        "azhzAAoTCgJ2MRINUmVzb3VyY2VRdW90YRIxChEKAXESABoAIgAqADIAOABCABIaCgoKA2NwdRIDCgExCgwKBHBv"
        "ZHMSBAoCMTAaABoAIgA=",
        {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "q"},
            "spec": {"hard": {"cpu": "1", "pods": "10"}},
            "status": {},
        },
    ),
    "create priorityclass p --value=-1000 --preemption-policy=Never": (
        "azhzAAolChRzY2hlZHVsaW5nLms4cy5pby92MRINUHJpb3JpdHlDbGFzcxIpChEKAXASABoAIgAqADIAOABCABCY"
        "+P////////8BGAAiACoFTmV2ZXIaACIA",
        {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": "p"},
            "value": -1000,
            "preemptionPolicy": "Never",
        },
    ),
    "create token x --duration=10m": (
        "azhzAAooChhhdXRoZW50aWNhdGlvbi5rOHMuaW8vdjESDFRva2VuUmVxdWVzdBIdChAKABIAGgAiACoAMgA4AEIA"
        "EgMg2AQaBAoAEgAaACIA",
        {
            "apiVersion": "authentication.k8s.io/v1",
            "kind": "TokenRequest",
            "metadata": {},
            "spec": {"audiences": None, "expirationSeconds": 600, "boundObjectRef": None},
            "status": {"token": "", "expirationTimestamp": None},
        },
    ),
    "auth can-i get pods --namespace=n": (
        "azhzAAoyChdhdXRob3JpemF0aW9uLms4cy5pby92MRIXU2VsZlN1YmplY3RBY2Nlc3NSZXZpZXcSNgoQCgASABoA"
        "IgAqADIAOABCABIYChYKAW4SA2dldBoAIgAqBHBvZHMyADoAGggIABIAGgAgABoAIgA=",
        {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "metadata": {},
            "spec": {
                "resourceAttributes": {"namespace": "n", "verb": "get", "resource": "pods"},
            },
            "status": {"allowed": False},
        },
    ),
    "create rolebinding r --clusterrole=view --user=u --serviceaccount=n:s": (
        "azhzAAorChxyYmFjLmF1dGhvcml6YXRpb24uazhzLmlvL3YxEgtSb2xlQmluZGluZxKFAQoRCgFyEgAaACIAKgAy"
        "ADgAQgASJgoEVXNlchIZcmJhYy5hdXRob3JpemF0aW9uLms4cy5pbxoBdSIAEhgKDlNlcnZpY2VBY2NvdW50EgAa"
        "AXMiAW4aLgoZcmJhYy5hdXRob3JpemF0aW9uLms4cy5pbxILQ2x1c3RlclJvbGUaBHZpZXcaACIA",
        {
            "apiVersion": "rbac.authorization.k8s.io/v1",
            "kind": "RoleBinding",
            "metadata": {"name": "r"},
            "subjects": [
                {"kind": "User", "apiGroup": "rbac.authorization.k8s.io", "name": "u"},
                {"kind": "ServiceAccount", "name": "s", "namespace": "n"},
            ],
            "roleRef": {
                "apiGroup": "rbac.authorization.k8s.io",
                "kind": "ClusterRole",
                "name": "view",
            },
        },
    ),
}


@pytest.mark.parametrize("command", list(SENT))
def test_what_kubectl_sends_is_understood(command: str) -> None:
    body, expected = SENT[command]
    assert read_protobuf(base64.b64decode(body)) == expected


def _enveloped(api_version: str, kind: str, message: bytes) -> bytes:
    def field(number: int, value: bytes) -> bytes:
        assert len(value) < 128
        return bytes([number << 3 | 2, len(value)]) + value

    named = field(1, api_version.encode()) + field(2, kind.encode())
    return b"k8s\0" + field(1, named) + field(2, message)


def test_times_are_read_in_their_precision() -> None:
    # 2026-01-01T00:00:00.5Z as seconds (1) and nanoseconds (2)
    moment = b"\x08\x80\xf2\xd6\xca\x06\x10\x80\xca\xb5\xee\x01"
    spec = b"\x22" + bytes([len(moment)]) + moment  # renewTime has number 4
    body = _enveloped("coordination.k8s.io/v1", "Lease", b"\x12" + bytes([len(spec)]) + spec)
    assert read_protobuf(body)["spec"] == {"renewTime": "2026-01-01T00:00:00.500000Z"}


def test_a_managers_fields_are_json_inside() -> None:
    fields = b'\x3a\x0a\x0a\x08{"f:a":1'
    broken = b"\x8a\x01" + bytes([len(fields)]) + fields  # metadata.managedFields (17), unfinished
    metadata = b"\x0a" + bytes([len(broken)]) + broken
    with pytest.raises(ProtobufError):
        read_protobuf(_enveloped("v1", "ConfigMap", metadata))


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        (b"", "empty data"),
        (b"{}", "does not appear to be a protobuf message, expected prefix"),
        (b"k8s\0\x0a\x05", "unexpected EOF"),
        (b"k8s\0\xff", "unexpected EOF"),
        (_enveloped("v1", "Nothing", b""), 'no kind "Nothing" is registered for version "v1"'),
        (_enveloped("v1", "Pod", b"\x0a\x7f"), "unexpected EOF"),
        (_enveloped("v1", "Pod", b"\x08\x01"), "wrong wireType"),
        (_enveloped("v1", "Pod", b"\x0a\x03\x0a\x01\xff"), "utf-8"),
    ],
)
def test_what_is_no_object_is_refused(body: bytes, complaint: str) -> None:
    with pytest.raises(ProtobufError, match=complaint.replace("(", r"\(")):
        read_protobuf(body)


@given(st.binary(max_size=200), st.sampled_from(["Pod", "Service", "ConfigMap", "Event"]))
def test_any_bytes_are_an_object_or_refused(message: bytes, kind: str) -> None:
    try:
        made = read_protobuf(_enveloped("v1", kind, message[:120]))
    except ProtobufError:
        return
    assert made["kind"] == kind
