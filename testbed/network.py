"""The bridge of a cluster, and each node's own end of it.

A node has a network namespace of its own, so that its kubelet has an address of its own (a kubelet
refuses loopback) and port 10250 is free in each. Namespaces have no name: they end with their last
process. No address translation is used; the machine routes to each node's pods through the node.
"""

from __future__ import annotations

import subprocess

from testbed.errors import TestbedError
from testbed.process import run
from testbed.state import Addresses, State


def make_bridge(state: State, addresses: Addresses) -> None:
    """Make the bridge, with the machine's address and the API server's service address on it."""
    _ip(
        f"link add {state.bridge} type bridge forward_delay 0",
        f"addr add {addresses.host}/24 dev {state.bridge}",
        f"addr add {addresses.api}/32 dev {state.bridge}",
        f"link set {state.bridge} up",
    )


def link_of(state: State, number: int) -> str:
    """The machine's end of a node's veth pair."""
    return f"bh{state.tag}-{number}"


def join(state: State, addresses: Addresses, number: int, holder: int) -> None:
    """Give the network namespace of process `holder` an address on the bridge."""
    link = link_of(state, number)
    address = addresses.node(number)
    _ip(
        f"link add {link} type veth peer name eth0 netns {holder}",
        f"link set {link} master {state.bridge} up",
    )
    _ip(
        "link set lo up",
        f"addr add {address}/24 dev eth0",
        "link set eth0 up",
        f"route add default via {addresses.host}",
        inside=holder,
    )
    _ip(f"route replace {addresses.pods(number)} via {address} dev {state.bridge}")


def leave(state: State, addresses: Addresses, number: int) -> None:
    """Remove a node's veth pair and the route to its pods; both may be gone already."""
    _try("link", "del", link_of(state, number))
    _try("route", "del", addresses.pods(number), "dev", state.bridge)


def set_link(state: State, number: int, *, up: bool) -> None:
    """Cut a node off the bridge, or connect it again."""
    _ip(f"link set {link_of(state, number)} {'up' if up else 'down'}")


def links(state: State) -> list[str]:
    """The cluster's links in the machine's own namespace."""
    shown = run(["ip", "-o", "link", "show"])
    names = [line.split(": ")[1].split("@")[0] for line in shown.splitlines()]
    return [name for name in names if name == state.bridge or name.startswith(f"bh{state.tag}-")]


def remove_links(state: State) -> None:
    """Remove the bridge and every veth pair."""
    for link in sorted(links(state), reverse=True):
        _try("link", "del", link)
    left = links(state)
    if left:
        raise TestbedError(f"links that could not be removed: {', '.join(left)}")


def _try(*command: str) -> None:
    """For what may vanish by itself: a veth pair does with its namespace, perhaps just now."""
    subprocess.run(["ip", *command], capture_output=True, check=False)


def _ip(*commands: str, inside: int | None = None) -> None:
    enter = [] if inside is None else ["nsenter", "-t", str(inside), "-n"]
    run([*enter, "ip", "-batch", "-"], input="\n".join(commands))
