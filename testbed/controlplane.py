"""The processes of the control plane and their flags.

The API server listens on the Service address of `kubernetes` itself, port 443, so that in-cluster
configuration works from every node without a kube-proxy.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from testbed import audit, pki, release
from testbed.api import Api
from testbed.errors import TestbedError
from testbed.kubeconfig import write_kubeconfig
from testbed.parts import binary
from testbed.process import Process
from testbed.registry_server import registry
from testbed.state import Addresses, State

NODE_GRACE_PERIOD = 15
"""Seconds without a sign of life after which a node is NotReady (Kubernetes' default is 50)."""


def etcd(state: State) -> Process:
    """The store; without fsync, for nothing here outlives the machine."""
    url = f"http://{Addresses(state.record().slot).host}"
    return Process(
        state,
        "etcd",
        (
            str(binary("etcd", "etcd")),
            f"--data-dir={state.folder / 'etcd'}",
            "--unsafe-no-fsync",
            f"--listen-client-urls={url}:2379",
            f"--advertise-client-urls={url}:2379",
            f"--listen-peer-urls={url}:2380",
            f"--initial-advertise-peer-urls={url}:2380",
            f"--initial-cluster=default={url}:2380",
            "--log-level=warn",
        ),
    )


def apiserver(state: State) -> Process:
    """The API server, with node and role authorization as in a real cluster."""
    addresses = Addresses(state.record().slot)
    return Process(
        state,
        "kube-apiserver",
        (
            str(release.command(state, "kube-apiserver")),
            f"--bind-address={addresses.api}",
            "--secure-port=443",
            f"--advertise-address={addresses.host}",
            f"--etcd-servers=http://{addresses.host}:2379",
            f"--service-cluster-ip-range={addresses.service_range}",
            f"--client-ca-file={state.pki('ca.crt')}",
            f"--tls-cert-file={state.pki('apiserver.crt')}",
            f"--tls-private-key-file={state.pki('apiserver.key')}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            "--allow-privileged",
            "--service-account-issuer=https://kubernetes.default.svc",
            f"--service-account-key-file={state.pki('sa.pub')}",
            f"--service-account-signing-key-file={state.pki('sa.key')}",
            f"--kubelet-certificate-authority={state.pki('ca.crt')}",
            f"--kubelet-client-certificate={state.pki('apiserver-kubelet.crt')}",
            f"--kubelet-client-key={state.pki('apiserver-kubelet.key')}",
            # Otherwise `logs` and `exec` look the node's name up in DNS and fail.
            "--kubelet-preferred-address-types=InternalIP",
            f"--audit-policy-file={state.folder / 'audit-policy.json'}",
            f"--audit-log-path={state.folder / 'audit.log'}",
            "--audit-log-mode=blocking",
            # Otherwise a stopping server waits a minute for watches that nobody ends (1.37.2).
            "--shutdown-watch-termination-grace-period=1s",
            "--profiling=false",
        ),
    )


def scheduler(state: State) -> Process:
    """The scheduler, alone and therefore without leader election."""
    return Process(
        state,
        "kube-scheduler",
        (
            str(release.command(state, "kube-scheduler")),
            f"--kubeconfig={state.pki('scheduler.kubeconfig')}",
            "--leader-elect=false",
            "--secure-port=0",
        ),
    )


def controller_manager(state: State) -> Process:
    """The controllers; impatient with nodes that give no sign of life."""
    return Process(
        state,
        "kube-controller-manager",
        (
            str(release.command(state, "kube-controller-manager")),
            f"--kubeconfig={state.pki('controller-manager.kubeconfig')}",
            "--leader-elect=false",
            "--secure-port=0",
            f"--root-ca-file={state.pki('ca.crt')}",
            f"--service-account-private-key-file={state.pki('sa.key')}",
            f"--cluster-signing-cert-file={state.pki('ca.crt')}",
            f"--cluster-signing-key-file={state.pki('ca.key')}",
            "--use-service-account-credentials",
            "--node-monitor-period=1s",
            f"--node-monitor-grace-period={NODE_GRACE_PERIOD}s",
        ),
    )


def make_credentials(state: State) -> None:
    """The authority, and a certificate for every part of the control plane."""
    addresses = Addresses(state.record().slot)
    pki.make_authority(state)
    pki.sign_to_files(
        state,
        "apiserver",
        "kube-apiserver",
        addresses=[addresses.api, addresses.host],
        hosts=["kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost"],
    )
    pki.sign_to_files(state, "apiserver-kubelet", "apiserver-kubelet", ["system:masters"])
    pki.sign_to_files(state, "admin", "admin", ["system:masters"])
    for who in ("scheduler", "controller-manager"):
        write_kubeconfig(state, state.pki(f"{who}.kubeconfig"), f"system:kube-{who}")
    audit.write_policy(state.folder / "audit-policy.json")


def start(state: State) -> None:
    """Start everything and wait until the API server is ready.

    Raises TestbedError with the end of the log of a process that did not come up.
    """
    first, server = etcd(state), apiserver(state)
    first.start()
    registry(state).start()
    server.start()
    api = Api(state)
    wait_for(api.ready, 60, "the API server is ready", [first, server])
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(Process.start, [scheduler(state), controller_manager(state)]))
    wait_for(
        lambda: bool(api.get("/api/v1/namespaces/default/serviceaccounts")["items"]),
        60,
        "the controller manager has made the default service account",
        [controller_manager(state)],
    )


def wait_for(
    condition: Callable[[], bool], timeout: float, what: str, processes: list[Process]
) -> None:
    """Wait until a condition holds; a process that ends meanwhile ends the wait.

    Raises TestbedError naming what did not happen, with the end of the logs.
    """
    end = time.monotonic() + timeout
    while not condition():
        ended = [process for process in processes if process.pid is None]
        if ended or time.monotonic() > end:
            logs = "\n".join(process.tail() for process in ended or processes)
            why = f"{ended[0].name} ended" if ended else f"not within {timeout:.0f} s"
            raise TestbedError(f"waited until {what}: {why}\n{logs}")
        time.sleep(0.1)
