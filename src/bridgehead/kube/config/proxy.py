"""Proxies from the environment, by the rules of Go's `http.ProxyFromEnvironment`, as kubectl.

Source: golang.org/x/net/http/httpproxy: lower-case names win, NO_PROXY holds hosts, domains with
or without a leading dot, addresses, CIDR ranges, each with an optional port, or `*`; this machine
is never reached through a proxy.
"""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from bridgehead.kube.errors import ConfigError


def proxy_from_environment(server: str, environ: Mapping[str, str]) -> str | None:
    """The proxy for this server, or None for a direct connection."""
    parts = urlsplit(server)
    variable = f"{parts.scheme}_proxy"
    url = environ.get(variable) or environ.get(variable.upper())
    host = parts.hostname or ""
    if not url or is_loopback(host):
        return None
    port = parts.port or (443 if parts.scheme == "https" else 80)
    exceptions = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
    if any(_excepted(host, port, item.strip().lower()) for item in exceptions.split(",")):
        return None
    if "://" not in url:
        url = f"http://{url}"
    if urlsplit(url).scheme != "http":
        raise ConfigError(
            f"{variable.upper()} has the scheme {urlsplit(url).scheme!r}, which bridgehead does "
            f"not implement; use an http proxy, or add {host} to NO_PROXY"
        )
    return url


def is_loopback(host: str) -> bool:
    """Whether the host is this machine."""
    address = _address(host)
    return host == "localhost" or (address is not None and address.is_loopback)


def _excepted(host: str, port: int, item: str) -> bool:
    if not item:
        return False
    if item == "*":
        return True
    name, colon, item_port = item.rpartition(":")
    if colon and item_port.isdigit() and _address(item) is None:
        if int(item_port) != port:
            return False
        item = name.strip("[]")
    address = _address(host)
    if address is not None:
        try:
            return address in ip_network(item, strict=False)
        except ValueError:
            return False
    domain = item.removeprefix("*").removeprefix(".")
    bare = domain == item  # "example.com" matches itself; ".example.com" only what is below it
    return (bare and host == domain) or host.endswith(f".{domain}")


def _address(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None
