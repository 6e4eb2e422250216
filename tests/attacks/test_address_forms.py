"""Spellings of an address at which a cloud gives its secrets: an endpoint that a person typed connects to none of them."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import httpx2
import pytest

from annotations.management.webhooks import require_webhook_url
from annotations.store.records import RecordError
from core.base.http.addresses import gives_secrets
from core.errors import TouchstoneError
from core.models.llm.client.http_client import http_client
from core.models.llm.endpoints.endpoints import typed_endpoint

HOSTS = (
    "169.254.169.254", "169.254.169.254.", "2852039166", "0xa9fea9fe", "0xA9.0xFE.0xA9.0xFE", "0251.0376.0251.0376", "025177524776",
    "169.254.43518", "169.16689662", "0xa9.254.0251.254", "169.254.169.0376", "0000169.254.169.254", "169.254.169.254%20", "[::ffff:169.254.169.254]",
    "[::ffff:a9fe:a9fe]", "[0:0:0:0:0:ffff:a9fe:a9fe]", "[::a9fe:a9fe]", "[::169.254.169.254]", "[64:ff9b::a9fe:a9fe]", "[64:ff9b::169.254.169.254]",
    "[64:ff9b:1::a9fe:a9fe]", "[2002:a9fe:a9fe::]", "[2002:a9fe:a9fe::1]", "[::ffff:0:a9fe:a9fe]", "[fe80::a9fe:a9fe]", "[fe80::1%25eth0]",
    "[fec0::1]", "[fd00:ec2::254]", "[fd00:0ec2:0000::0254]", "[fd00:ec2::23]", "[fd20:ce::254]", "[ff02::1]", "[::]", "[2001:db8::1]", "[100::1]",
    "[2001::a9fe:a9fe]", "[2001:0:a9fe:a9fe::5601:5601]", "[::ffff:0.0.0.0]", "0.0.0.0", "0", "0x0", "00", "255.255.255.255", "224.0.0.1", "240.0.0.1",
    "100.100.100.200", "168.63.129.16", "192.0.0.192", "0x646464c8", "metadata.google.internal", "metadata", "instance-data.ec2.internal",
    "169.254.169.254.nip.io", "a9fea9fe.example", "localtest.example", "①⑥⑨.②⑤④.①⑥⑨.②⑤④", "１６９.２５４.１６９.２５４", "169。254。169。254", "169．254．169．254",
    "169｡254｡169｡254", "٠١٦٩.254.169.254", "%31%36%39.254.169.254", "169%2e254%2e169%2e254", "169.254.169.254\\@good.example", "good.example@169.254.169.254",
    "good.example:80@169.254.169.254", "169.254.169.254#@good.example", "169.254.169.254?@good.example", "169.254.169.254/@good.example",
    "good.example\\@169.254.169.254", "169.254.169.254:80@169.254.169.254", "169.254.169.254:0080", "\t169.254.169.254", "169.254\n.169.254", "ｍetadata.google.internal",
    "metadata.google.internal.", "METADATA.google.internal", "xn--metadata", "[::ffff:169.254.169.254%25lo]", "[0x64:ff9b::a9fe:a9fe]",
)  # fmt: skip


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Addresses to which a connection is begun; none is made."""
    hosts = list[str]()

    def connect(_: socket.socket, address: tuple[str, int]) -> None:
        hosts.append(address[0])
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", connect)
    return hosts


def resolve(host: str, port: int) -> list[str]:
    """Resolve figures as this machine does, and any name to the address of the secrets."""
    try:
        rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except OSError:
        return ["169.254.169.254"]
    return [str(entry[4][0]) for entry in rows]


def test_there_are_more_forms_than_sixty_and_none_twice() -> None:
    assert len(set(HOSTS)) == len(HOSTS) >= 60


@pytest.mark.parametrize("host", HOSTS)
def test_no_form_of_a_secret_address_is_connected_to(host: str, reached: list[str]) -> None:
    with pytest.raises((TouchstoneError, httpx2.HTTPError, httpx2.InvalidURL, ValueError)):  # noqa: PT012  # any door may refuse
        typed = typed_endpoint({"name": "mine", "base_url": f"http://{host}/v1", "model": "small"}, "sk-typed")
        with http_client(typed, resolve) as client:
            client.get("/models")
    assert not [place for place in reached if gives_secrets(ip_address(place.partition("%")[0]))]


@pytest.mark.parametrize("host", HOSTS)
def test_no_form_of_a_secret_address_in_figures_is_that_of_a_webhook(host: str) -> None:
    try:
        require_webhook_url(f"http://{host}/hook")
    except RecordError:
        return
    pytest.fail("http:// is for localhost and private addresses in figures alone")
