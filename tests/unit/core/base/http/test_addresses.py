"""Which addresses give a cloud's secrets or lead inwards, in every spelling, and that what was checked is what is connected to."""

from __future__ import annotations

import ssl
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import httpx2
import pytest

from core.base.http.addresses import Address, gives_secrets, is_public, look_up, secrets_refusal
from core.base.http.checked_transport import CheckedTransport, RefusedAddressError
from core.models.llm.client.http_client import http_client
from core.models.llm.endpoint_setup import check_endpoint
from core.models.llm.endpoints.endpoints import typed_endpoint
from tests.unit.core.models.llm.scripted import Reply, serving, text

SECRET = [
    "169.254.169.254",
    "::ffff:169.254.169.254",
    "::169.254.169.254",
    "64:ff9b::a9fe:a9fe",
    "2002:a9fe:a9fe::1",
    "fe80::a9fe:a9fe",
    "fe80::1%eth0",
    "fd00:ec2::254",
    "fd00:ec2::254%eth0",
    "fd20:ce::254",
    "100.100.100.200",
    "168.63.129.16",
    "0.0.0.0",
    "::",
    "::ffff:0.0.0.0",
    "224.0.0.1",
    "fd00:ec2::23",
    "fd00:ec2::253",
    "64:ff9b:1::a9fe:a9fe",
    "64:ff9b:1::7f00:1",
    "::ffff:0:169.254.169.254",
    "fec0::1",
    "100::1",
    "100:0:0:1::1",
    "2001:db8::1",
    "3fff::1",
    "5f00::1",
    "4000::1",
    "192.0.2.1",
    "198.18.0.1",
    "203.0.113.9",
    "240.0.0.1",
    "255.255.255.255",
    "192.88.99.1",
    "ff02::1",
]
INNER = [
    "127.0.0.1",
    "::1",
    "10.0.0.7",
    "192.168.1.1",
    "::ffff:10.0.0.7",
    "64:ff9b::7f00:1",
    "::ffff:0:127.0.0.1",
    "100.64.0.1",
    "fd00::1",
]
OUTER = [
    "93.184.216.34",
    "::ffff:93.184.216.34",
    "::ffff:0:93.184.216.34",
    "192.0.0.9",
    "2606:2800:220:1:248:1893:25c8:1946",
]


@pytest.mark.parametrize("text", SECRET)
def test_an_address_of_a_clouds_secrets_is_known_in_every_spelling(text: str) -> None:
    assert gives_secrets(ip_address(text))
    assert not is_public(ip_address(text))


@pytest.mark.parametrize(("text", "public"), [*((one, False) for one in INNER), *((one, True) for one in OUTER)])
def test_an_address_is_inside_or_outside(text: str, public: bool) -> None:
    assert (gives_secrets(ip_address(text)), is_public(ip_address(text))) == (False, public)


def test_what_leads_nowhere_is_called_no_place_of_a_cloud() -> None:
    assert secrets_refusal("fec0::1", ip_address("fec0::1")) == (
        "fec0::1 is no address of a machine on a network, and nothing is sent there."
    )
    assert secrets_refusal("a.example", ip_address("fd00:ec2::23")) == (
        "At a.example, which leads to fd00:ec2::23, a cloud gives its machines their secrets, and nothing is sent there."
    )


def allow_all(_host: str, _address: Address) -> str:
    return ""


def test_a_host_is_looked_up_once_and_asked_under_its_name() -> None:
    lookups: list[tuple[str, int]] = []

    def resolve(host: str, port: int) -> list[str]:
        lookups.append((host, port))
        return ["127.0.0.1"] if len(lookups) == 1 else ["169.254.169.254"]

    with serving(lambda _path, _body: Reply({"came": True})) as server:
        port = httpx2.URL(server.url).port
        with httpx2.Client(transport=CheckedTransport(allow_all, resolve)) as client:
            answer = client.get(f"http://judge.example:{port}/v1")
    assert (answer.json(), str(answer.request.url)) == ({"came": True}, f"http://judge.example:{port}/v1")
    assert lookups == [("judge.example", port)]
    assert server.headers[0]["Host"] == f"judge.example:{port}"


def test_the_next_address_of_a_host_is_tried_where_nobody_answers_at_the_first() -> None:
    with serving(lambda _path, _body: Reply({"came": True})) as server:
        port = httpx2.URL(server.url).port
        with httpx2.Client(transport=CheckedTransport(allow_all, lambda *_: ["127.0.0.9", "127.0.0.1"])) as client:
            assert client.get(f"http://judge.example:{port}/").status_code == 200


def test_one_bad_address_among_good_ones_refuses_the_host() -> None:
    def refuse(host: str, address: Address) -> str:
        return f"{host} leads to {address}." if gives_secrets(address) else ""

    with serving(lambda _path, _body: Reply({})) as server:
        transport = CheckedTransport(refuse, lambda *_: ["127.0.0.1", "169.254.169.254"])
        with httpx2.Client(transport=transport) as client, pytest.raises(RefusedAddressError, match=r"169\.254"):
            client.get(f"http://both.example:{httpx2.URL(server.url).port}/")
    assert server.asked == []


def test_a_name_that_is_not_found_is_an_error_of_the_connection() -> None:
    with (
        httpx2.Client(transport=CheckedTransport(allow_all, look_up)) as client,
        pytest.raises(httpx2.ConnectError, match=r"nowhere\.invalid has no address"),
    ):
        client.get("http://nowhere.invalid/")


@pytest.fixture
def tls_server(tmp_path: Path) -> Iterator[tuple[int, ssl.SSLContext]]:
    """The port of a server with a certificate of judge.example, and a context that trusts it."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=judge.example"]
    command += ["-addext", "subjectAltName=DNS:judge.example", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(command, check=True, capture_output=True)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    own.load_cert_chain(certificate, key)
    server.socket = own.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server.server_port, ssl.create_default_context(cafile=str(certificate))
    server.shutdown()
    server.server_close()
    thread.join()


def test_the_certificate_is_that_of_the_name_and_not_of_the_address(tls_server: tuple[int, ssl.SSLContext]) -> None:
    port, trusting = tls_server
    transport = CheckedTransport(allow_all, lambda *_: ["127.0.0.1"], trusting)
    with httpx2.Client(transport=transport) as client:
        assert client.get(f"https://judge.example:{port}/").status_code == 204
        with pytest.raises(httpx2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            client.get(f"https://other.example:{port}/")


@pytest.mark.parametrize("host", ["169.254.169.254", "[::ffff:169.254.169.254]", "[fd00:ec2::254]", "2852039166"])
def test_an_endpoint_that_a_person_typed_asks_no_cloud_for_its_secrets(host: str) -> None:
    typed = typed_endpoint({"name": "mine", "base_url": f"http://{host}/v1", "model": "small"}, "sk-typed")
    [finding, *_] = check_endpoint(typed)
    assert not finding.works
    assert "a cloud gives its machines their secrets" in finding.message
    assert "base_url of mine in the form" in finding.message


def test_a_redirect_of_an_endpoint_that_a_person_typed_leads_to_no_clouds_secrets() -> None:
    reply = Reply(status=308, headers={"Location": "http://inside.example/latest/meta-data"})
    with serving(lambda _path, _body: reply) as server:
        typed = typed_endpoint({"name": "mine", "base_url": server.url, "model": "small"}, "")
        with (
            http_client(typed, lambda *_: ["169.254.169.254"]) as client,
            pytest.raises(RefusedAddressError, match=r"At inside\.example, which leads to 169\.254\.169\.254, a cloud"),
        ):
            client.get("/models")


def test_an_endpoint_of_this_network_may_be_typed() -> None:
    with serving(lambda _path, _body: text("ready")) as server:
        typed = typed_endpoint({"name": "mine", "base_url": server.url, "model": "small"}, "sk-typed")
        [finding, *_] = check_endpoint(typed)
    assert finding.works
    assert set(server.keys) == {"Bearer sk-typed"}


def test_a_redirect_keeps_the_secrets_of_a_typed_endpoint_at_home() -> None:
    with serving(lambda _path, _body: text("ready")) as other:
        reply = Reply(status=307, headers={"Location": f"{other.url}/chat/completions"})
        with serving(lambda _path, _body: reply) as server:
            fields = {"name": "mine", "base_url": server.url, "model": "small", "key_header": "api-key"}
            typed = typed_endpoint({**fields, "headers": {"X-Team": "a-secret"}}, "sk-typed")
            check_endpoint(typed)
    assert other.asked
    sent = str([dict(headers.items()) for headers in other.headers])
    assert "sk-typed" not in sent
    assert "a-secret" not in sent
