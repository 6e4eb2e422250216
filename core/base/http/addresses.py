"""Addresses on the network that a person may have this program connect to."""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

Address = IPv4Address | IPv6Address
LookUp = Callable[[str, int], Sequence[str]]
"""Gives the addresses of a host name and port; raises OSError for a name that has none."""

_NAT64 = IPv6Network("64:ff9b::/96")
_METADATA = frozenset(
    map(ip_address, ("100.100.100.200", "168.63.129.16", "192.0.0.192", "fd00:ec2::254", "fd20:ce::254"))
)
"""Addresses at which clouds give a machine its secrets, besides the link-local ones."""


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
    meant = _meant(address)
    return meant in _METADATA or meant.is_link_local or meant.is_unspecified or meant.is_multicast


def secrets_refusal(host: str, address: Address) -> str:
    """Sentence on a host that leads to such an address; empty for any other."""
    if not gives_secrets(address):
        return ""
    place = host if literal_address(host) else f"{host}, which leads to {address},"
    return f"At {place} a cloud gives its machines their secrets, and nothing is sent there."


def is_public(address: Address) -> bool:
    """True for an address that leads out of this network."""
    return _meant(address).is_global and not gives_secrets(address)


def _meant(address: Address) -> Address:
    """The IPv4 address that an IPv6 address stands for; else the same, without the name of a network card."""
    if isinstance(address, IPv4Address):
        return address
    number = int(address)
    if address in _NAT64 or 1 < number < 2**32:
        return IPv4Address(number & 0xFFFFFFFF)
    return address.ipv4_mapped or address.sixtofour or (address.teredo or (None, None))[1] or IPv6Address(number)
