"""Connections to addresses that a person typed: a host is looked up once, and what was checked is what is connected to."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from urllib.request import getproxies, proxy_bypass

import httpx2

from core.base.http.addresses import Address, LookUp, literal_address

Check = Callable[[str, Address], str]
"""Sentence on why a host may not be connected to at one of its addresses; empty where it may."""


_LIMITS = httpx2.Limits(max_connections=1000, max_keepalive_connections=100)  # as of other clients of endpoints


class RefusedAddressError(httpx2.ConnectError):
    """A host that resolves to a forbidden address."""


class CheckedTransport(httpx2.HTTPTransport):
    """Connects to an address of the host that passed the check, under the name of the host for TLS and for the server.

    A host of several addresses is refused if any of them is: the network decides which of them is used.
    """

    def __init__(self, check: Check, look_up: LookUp, verify: ssl.SSLContext | bool = True) -> None:
        super().__init__(verify=verify, limits=_LIMITS)
        self._check = check
        self._look_up = look_up

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        url = request.url
        addresses = self._checked_addresses(url)
        for place, address in enumerate(addresses, start=1):
            # the header Host is set already, with the name
            sent = httpx2.Request(
                request.method,
                url.copy_with(host=str(address)),
                headers=request.headers,
                stream=request.stream,
                extensions={**request.extensions, "sni_hostname": url.host},
            )
            try:
                return super().handle_request(sent)
            except (httpx2.ConnectError, httpx2.ConnectTimeout):
                if place == len(addresses):
                    raise
        raise httpx2.ConnectError(f"{url.host} has no address.")

    def _checked_addresses(self, url: httpx2.URL) -> list[Address]:
        host, port = url.host, url.port or (443 if url.scheme == "https" else 80)
        try:
            names = [host] if literal_address(host) else self._look_up(host, port)
        except (OSError, UnicodeError) as error:
            raise httpx2.ConnectError(f"{host} has no address: {error}") from error
        addresses = [address for name in names if (address := literal_address(name))]
        for address in addresses:
            if problem := self._check(host, address):
                raise RefusedAddressError(problem)
        return addresses


def goes_by_proxy(url: str) -> bool:
    """True if a proxy that the environment of the operator names connects to a URL: it looks the host up, and not this program."""
    parts = httpx2.URL(url)
    return bool(getproxies().get(parts.scheme) or getproxies().get("all")) and not proxy_bypass(parts.host)
