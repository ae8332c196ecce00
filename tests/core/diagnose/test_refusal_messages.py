"""Words of API servers, registries and container runtimes, as they write them."""

import pytest

from bridgehead.core.diagnose.creation_refusals import Check, check_of
from bridgehead.core.diagnose.pull_message import PullFailure, pull_failure
from bridgehead.core.journal.entry import Evidence

FORBIDDEN = 'Error creating: pods "plugin-x" is forbidden: '


@pytest.mark.parametrize(
    ("message", "check", "what"),
    [
        # The first six as API servers 1.30.14 and 1.37.2 wrote them.
        (
            f'{FORBIDDEN}violates PodSecurity "baseline:latest": hostPath volumes (volume "d")',
            Check.POD_SECURITY,
            "baseline:latest",
        ),
        (
            f"{FORBIDDEN}insufficient quota to match these scopes: "
            "[{PriorityClass In [system-node-critical system-cluster-critical]}]",
            Check.PRIORITY_QUOTA,
            "[{PriorityClass In [system-node-critical system-cluster-critical]}]",
        ),
        (f'{FORBIDDEN}pod rejected: RuntimeClass "nope" not found', Check.RUNTIME_CLASS, "nope"),
        (
            f'{FORBIDDEN}error looking up service account ns/nope: serviceaccount "nope" not found',
            Check.SERVICE_ACCOUNT,
            "ns/nope",
        ),
        (
            f"{FORBIDDEN}no PriorityClass with name nope was found",
            Check.PRIORITY_CLASS,
            "nope",
        ),
        (
            f"{FORBIDDEN}failed quota: few: must specify requests.memory for: c",
            Check.QUOTA,
            "few",
        ),
        (
            f"{FORBIDDEN}exceeded quota: few, requested: pods=1, used: pods=4, limited: pods=4",
            Check.QUOTA,
            "few",
        ),
        (
            'Error creating: admission webhook "policy.example" denied the request: no',
            Check.WEBHOOK_DENIES,
            "policy.example",
        ),
        (
            'Error creating: Internal error occurred: failed calling webhook "policy.example": '
            "failed to call webhook",
            Check.WEBHOOK_AWAY,
            "policy.example",
        ),
        (
            f"{FORBIDDEN}maximum memory usage per Container is 1Gi, but limit is 2Gi",
            Check.LIMITS,
            "Container",
        ),
        (
            f"{FORBIDDEN}ValidatingAdmissionPolicy 'no-host-path' with binding 'b' denied request",
            Check.POLICY,
            "no-host-path",
        ),
        (f"{FORBIDDEN}something else", Check.OTHER, ""),
    ],
)
def test_which_check_refused_a_pod(message: str, check: Check, what: str) -> None:
    assert check_of(message) == (check, what)


@pytest.mark.parametrize(
    ("message", "failure"),
    [
        (
            "rpc error: code = NotFound desc = failed to pull and unpack image: not found",
            PullFailure.NOT_FOUND,
        ),
        ("manifest for x:2 not found: manifest unknown", PullFailure.NOT_FOUND),
        (
            "pull access denied, repository does not exist or may require authorization",
            PullFailure.REFUSED,
        ),
        ("unexpected status from HEAD request: 403 Forbidden", PullFailure.REFUSED),
        (
            "failed to do request: Head: dial tcp: lookup r.example: no such host",
            PullFailure.UNREACHABLE,
        ),
        ("dial tcp 192.0.2.1:443: i/o timeout", PullFailure.UNREACHABLE),
        ("tls: failed to verify certificate: x509: certificate signed by", PullFailure.UNREACHABLE),
        ("429 Too Many Requests - toomanyrequests: pull rate limit", PullFailure.LIMITED),
        ("write /var/lib/containerd: no space left on device", PullFailure.NO_ROOM),
        ("InvalidImageName: couldn't parse image name", PullFailure.NAME),
        (
            "ErrImageNeverPull: Container image is not present with pull policy of Never",
            PullFailure.NEVER,
        ),
        ("ImagePullBackOff", PullFailure.UNKNOWN),
    ],
)
def test_why_an_image_was_not_pulled(message: str, failure: PullFailure) -> None:
    proof = Evidence("status", message)
    assert pull_failure([proof]) == (failure, proof)


def test_the_event_tells_where_the_status_says_only_that_it_waits() -> None:
    told = Evidence("event", "manifest unknown")
    said = [Evidence("status", 'ImagePullBackOff: Back-off pulling image "x:1"'), told]
    assert pull_failure(said) == (PullFailure.NOT_FOUND, told)
