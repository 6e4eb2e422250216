"""Addresses on the network that a person may have this program connect to."""

from __future__ import annotations

import csv
import socket
from collections.abc import Callable, Sequence
from functools import cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network
LookUp = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a host name and port; raises OSError for a name that has none."""

_REGISTRY = Path(__file__).with_name("special_addresses.csv")
"""Special-purpose address registries of IANA for IPv4 and IPv6, as of 2026-07, and the block of multicast of IPv4."""
_GLOBAL_UNICAST = IPv6Network("2000::/3")
"""The only IPv6 addresses that IANA gives to networks of the internet."""
_INNER: tuple[Network, ...] = (
    *map(IPv4Network, ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")),
    *map(IPv6Network, ("::1/128", "fc00::/7")),
)
"""Blocks of this machine and of networks like this one, at which models are served."""
_EMBEDS_IPV4 = (IPv6Network("64:ff9b::/96"), IPv6Network("::ffff:0:0:0/96"))
"""Blocks whose last 32 bits are the IPv4 address that a translator connects to (RFC 6052, RFC 2765)."""
_METADATA: tuple[Network, ...] = (
    *map(IPv4Network, ("100.100.100.200/32", "168.63.129.16/32", "192.0.0.192/32")),
    *map(IPv6Network, ("fd00:ec2::/32", "fd20:ce::/32")),
)
"""Addresses at which clouds give a machine its secrets, besides the link-local ones: Alibaba, Azure, Oracle, AWS, Google."""


def look_up(host: str, port: int) -> list[str]:
    """The distinct addresses of a host by the resolver of this machine, in its order."""
    entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in entries))


def literal_address(host: str) -> Address | None:
    """The IP address that a host spells out; None for a name, and for spellings that only a resolver understands."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def gives_secrets(address: Address) -> bool:
    """True for an address at which a cloud gives its machines' secrets, or that is no address of one machine."""
    target = _target(address)
    return _is_metadata(target) or not (_is_inner(target) or _is_reachable(target))


def secrets_refusal(host: str, address: Address) -> str:
    """Sentence on a host that leads to such an address; empty for any other."""
    if not gives_secrets(address):
        return ""
    place = host if literal_address(host) else f"{host}, which leads to {address},"
    target = _target(address)
    if _is_metadata(target) or target.is_link_local:
        return f"At {place} a cloud gives its machines their secrets, and nothing is sent there."
    return f"{place} is no address of a machine on a network, and nothing is sent there."


def is_public(address: Address) -> bool:
    """True for an address that leads out of this network."""
    target = _target(address)
    return _is_reachable(target) and not _is_metadata(target)


def _is_metadata(address: Address) -> bool:
    return any(address in block for block in _METADATA)


def _is_inner(address: Address) -> bool:
    return any(address in block for block in _INNER)


def _is_reachable(address: Address) -> bool:
    """True for an address of the internet: the narrowest block of the registry that has it decides."""
    if isinstance(address, IPv6Address) and address not in _GLOBAL_UNICAST:
        return False
    blocks = [(block.prefixlen, reachable) for block, reachable in _registry() if address in block]
    return max(blocks)[1] if blocks else True


@cache
def _registry() -> tuple[tuple[Network, bool], ...]:
    """Each block with True if it is globally reachable; one that the registry leaves open is not."""
    with _REGISTRY.open(encoding="utf-8", newline="") as file:
        return tuple(
            (ip_network(row["Address Block"]), row["Globally Reachable"] == "True") for row in csv.DictReader(file)
        )


def _target(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for; else the same, without the name of a network card."""
    if isinstance(address, IPv4Address):
        return address
    number = int(address)
    if any(address in block for block in _EMBEDS_IPV4) or 1 < number < 2**32:
        return IPv4Address(number & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or IPv6Address(number)
