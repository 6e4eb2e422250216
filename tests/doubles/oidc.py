"""A provider of OpenID Connect on loopback: whoever comes is signed in at once, as the person that it was told."""

from __future__ import annotations

import base64
import hmac
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT = "touchstone-test"


@dataclass
class Provider:
    """Where it is, and what it says of the person; both may change between two sign-ins."""

    url: str
    claims: dict[str, Any] = field(default_factory=dict)
    key: RSAKey = field(default_factory=lambda: RSAKey.generate_key(2048, {"kid": "one"}))
    nonces: dict[str, str] = field(default_factory=dict)
    algorithm: str = "RS256"
    """Signature of its tokens; forgers try none, and HS256 with the public key as a secret."""
    published: RSAKey | None = None
    """Key that it publishes, where it signs with another one."""

    def metadata(self) -> dict[str, Any]:
        return {
            "issuer": self.url,
            "authorization_endpoint": f"{self.url}/authorize",
            "token_endpoint": f"{self.url}/token",
            "jwks_uri": f"{self.url}/keys",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
        }

    def tokens(self, code: str) -> dict[str, Any]:
        now = int(time.time())
        told = {"iss": self.url, "aud": CLIENT, "sub": "1", "iat": now, "exp": now + 600, "nonce": self.nonces[code]}
        signed = self._signed(told | self.claims)
        return {"access_token": "unused", "token_type": "Bearer", "expires_in": 600, "id_token": signed}

    @property
    def keys(self) -> list[dict[str, Any]]:
        """The public keys that it publishes."""
        return [(self.published or self.key).as_dict(private=False)]

    def _signed(self, claims: dict[str, Any]) -> str:
        if self.algorithm == "RS256":
            return jwt.encode({"alg": "RS256", "kid": "one"}, claims, self.key)
        parts = [{"alg": self.algorithm, "kid": "one", "typ": "JWT"}, claims]
        text = ".".join(_base64(json.dumps(part).encode()) for part in parts)
        secret = (self.published or self.key).as_pem(private=False)
        return f"{text}.{'' if self.algorithm == 'none' else _base64(hmac.digest(secret, text.encode(), 'sha256'))}"


def _base64(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


@contextmanager
def provider() -> Iterator[Provider]:
    """Run a provider until the block ends."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    running = Provider(f"http://127.0.0.1:{server.server_address[1]}")
    server.provider = running  # type: ignore[attr-defined]  # the handler finds it there
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    @property
    def provider(self) -> Provider:
        found: Provider = self.server.provider  # type: ignore[attr-defined]  # see above
        return found

    def do_GET(self) -> None:
        parts = urlsplit(self.path)
        if parts.path == "/authorize":
            self._authorize({name: values[0] for name, values in parse_qs(parts.query).items()})
        elif parts.path == "/keys":
            self._json({"keys": self.provider.keys})
        else:
            self._json(self.provider.metadata())

    def do_POST(self) -> None:
        form = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        self._json(self.provider.tokens(form["code"][0]))

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def _authorize(self, asked: dict[str, str]) -> None:
        code = f"code-{len(self.provider.nonces)}"
        self.provider.nonces[code] = asked["nonce"]
        self.send_response(302)
        self.send_header("Location", f"{asked['redirect_uri']}?{urlencode({'code': code, 'state': asked['state']})}")
        self.end_headers()

    def _json(self, content: dict[str, Any]) -> None:
        body = json.dumps(content).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
