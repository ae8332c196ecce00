"""A rollout that may not begin: exit 6, what is missing, and how to get it. Nothing is changed."""

import json
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from bridgehead.cli.exits import Exit
from testbed.cluster import Cluster
from testbed.parts import binary

pytestmark = pytest.mark.cluster


def rollout(folder: Path, namespace: str, kubeconfig: Path) -> subprocess.CompletedProcess[str]:
    spec = {
        "apiVersion": "bridgehead.dev/v1alpha1",
        "kind": "Rollout",
        "metadata": {"name": "plugin"},
        "component": {"daemonSet": {"namespace": namespace, "name": "plugin"}},
        "change": {"images": {"plugin": "registry.test/fake:v2"}},
    }
    path = folder / "bridgehead.yaml"
    path.write_text(yaml.safe_dump(spec))
    command = [sys.executable, "-m", "bridgehead", "rollout", "-f", str(path)]
    options = ["--kubeconfig", str(kubeconfig), "--state-namespace", f"{namespace}-state"]
    return subprocess.run([*command, *options], capture_output=True, text=True, check=False)


def with_token(cluster: Cluster, folder: Path, token: str) -> Path:
    """A kubeconfig whose user has this token and nothing else."""
    content: Any = yaml.safe_load(cluster.kubeconfig.read_text())
    content["users"][0]["user"] = {"token": token}
    path = folder / "token.kubeconfig"
    path.write_text(yaml.safe_dump(content))
    return path


def expired_token(cluster: Cluster) -> str:
    """A token of a service account, truly signed, that ended a minute ago."""
    key = serialization.load_pem_private_key(cluster.state.pki("sa.key").read_bytes(), None)
    assert isinstance(key, rsa.RSAPrivateKey)
    issuer = "https://kubernetes.default.svc"
    claims = {
        "iss": issuer,
        "aud": [issuer],
        "sub": "system:serviceaccount:default:default",
        "exp": int(time.time()) - 60,
        "iat": int(time.time()) - 3600,
    }
    signed = _part({"alg": "RS256", "typ": "JWT"}) + b"." + _part(claims)
    signature = key.sign(signed, padding.PKCS1v15(), hashes.SHA256())
    return (signed + b"." + urlsafe_b64encode(signature).rstrip(b"=")).decode()


def _part(value: object) -> bytes:
    return urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=")


def is_refused_for_its_credential(found: subprocess.CompletedProcess[str]) -> None:
    assert found.returncode == Exit.CANNOT, found.stderr
    assert "the server does not accept the credential" in found.stderr
    assert "kubectl auth whoami" in found.stderr


def test_an_expired_token_is_told_as_such(cluster: Cluster, tmp_path: Path) -> None:
    kubeconfig = with_token(cluster, tmp_path, expired_token(cluster))
    is_refused_for_its_credential(rollout(tmp_path, "default", kubeconfig))


def test_an_invalid_token_is_told_as_such(cluster: Cluster, tmp_path: Path) -> None:
    kubeconfig = with_token(cluster, tmp_path, "not-a-token")
    is_refused_for_its_credential(rollout(tmp_path, "default", kubeconfig))


def test_what_is_printed_for_missing_permissions_grants_them(
    cluster: Cluster, tmp_path: Path, namespace: str
) -> None:
    user = f"newcomer-{namespace}"
    kubeconfig = cluster.user_kubeconfig(user)
    try:
        refused = rollout(tmp_path, namespace, kubeconfig)
        assert refused.returncode == Exit.CANNOT, refused.stderr
        assert f"permissions are missing for {user}; nothing was changed" in refused.stderr
        assert f"patch daemonsets.apps in namespace {namespace}: change the component" in (
            refused.stderr
        )

        # The role's name is shared by all who do as told; tests that run beside this one, too.
        objects = refused.stderr.partition("\n---\n")[2].partition("\nnext:")[0]
        apply(cluster, objects.replace("name: bridgehead", f"name: {user}"))

        granted = rollout(tmp_path, namespace, kubeconfig)
        assert granted.returncode == Exit.FINDINGS, granted.stderr
        assert f"there is no daemonset/{namespace}/plugin" in granted.stdout
    finally:
        group = "/apis/rbac.authorization.k8s.io/v1"
        cluster.api.delete(f"{group}/clusterrolebindings/{user}")
        cluster.api.delete(f"{group}/clusterroles/{user}")
        cluster.api.delete(f"/api/v1/namespaces/{namespace}-state")


def apply(cluster: Cluster, objects: str) -> None:
    kubectl = [str(binary("kubernetes", "kubectl")), "--kubeconfig", str(cluster.kubeconfig)]
    done = subprocess.run(
        [*kubectl, "apply", "-f", "-"], input=objects, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
