"""A mail server on this machine that speaks enough of SMTP for smtplib: what it takes, and addresses that it refuses."""

from __future__ import annotations

import email
import email.policy
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import EmailMessage


@dataclass
class MailServer:
    """Mails with the addresses of their envelopes, in their order; addresses in `refused` are not taken, and with `down` no mail at all."""

    port: int = 0
    mails: list[tuple[list[str], EmailMessage]] = field(default_factory=list)
    refused: set[str] = field(default_factory=set)
    down: bool = False
    logins: list[str] = field(default_factory=list)


class _Handler(socketserver.StreamRequestHandler):
    """One connection."""

    mails: MailServer

    def say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())

    def handle(self) -> None:
        self.say("220 ready")
        addresses: list[str] = []
        for raw in self.rfile:
            verb, _, rest = raw.decode().rstrip("\r\n").partition(" ")
            match verb.upper():
                case "EHLO":
                    self.say("250-here")
                    self.say("250 AUTH PLAIN")
                case "AUTH":
                    self.mails.logins.append(rest)
                    self.say("235 welcome")
                case "MAIL":
                    addresses = []
                    self.say("451 later" if self.mails.down else "250 ok")
                case "RCPT":
                    self.recipient(rest.partition("<")[2].partition(">")[0], addresses)
                case "DATA":
                    self.data(addresses)
                case "QUIT":
                    self.say("221 bye")
                    return
                case _:
                    self.say("250 ok")

    def recipient(self, address: str, addresses: list[str]) -> None:
        if address in self.mails.refused:
            self.say("550 nobody")
            return
        addresses.append(address)
        self.say("250 ok")

    def data(self, addresses: list[str]) -> None:
        self.say("354 go on")
        text = b"".join(iter(self.rfile.readline, b".\r\n"))
        mail = email.message_from_bytes(text, policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        self.mails.mails.append((addresses, mail))
        self.say("250 taken")


@contextmanager
def mail_server() -> Iterator[MailServer]:
    """A server on a free port, for as long as it is used."""
    mails = MailServer()
    handler = type("Handler", (_Handler,), {"mails": mails})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as running:
        mails.port = running.server_address[1]
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield mails
        running.shutdown()
        thread.join()
