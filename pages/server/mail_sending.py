"""Mails through the SMTP server of whoever runs this server."""

from __future__ import annotations

import logging
import smtplib
import ssl
from collections.abc import Sequence
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from core.base import literal_address
from core.settings import Settings

_SECONDS = 20.0
_PORTS = {"smtp": 587, "smtps": 465}
_LOG = logging.getLogger(__name__)


def send_mail(message: EmailMessage, recipients: Sequence[str], settings: Settings) -> str:
    """Send a mail; the error for which nobody got it, "" where somebody did.

    A name and a password go over TLS only, or to this machine. An address that the server refused while it took others is logged.
    """
    url = settings.smtp_url.get_secret_value()
    if not url or not settings.smtp_from:
        return "No mail server is set: TOUCHSTONE_SMTP_URL and TOUCHSTONE_SMTP_FROM of the server."
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    secure = ssl.create_default_context()
    try:
        connection = (
            smtplib.SMTP_SSL(host, port, timeout=_SECONDS, context=secure)
            if parts.scheme == "smtps"
            else smtplib.SMTP(host, port, timeout=_SECONDS)
        )
        with connection as server:
            server.ehlo()
            if parts.scheme == "smtp" and server.has_extn("starttls"):
                server.starttls(context=secure)
                server.ehlo()
            elif parts.scheme == "smtp" and parts.username and not _is_here(host):
                return "The mail server offers no encryption, so that the password was not sent. Use smtps://."
            if parts.username:
                server.login(unquote(parts.username), unquote(parts.password or ""))
            refused = server.send_message(message, to_addrs=list(recipients))
    except smtplib.SMTPRecipientsRefused as error:
        codes = sorted({code for code, _ in error.recipients.values()})
        return f"The mail server refused every address ({', '.join(map(str, codes))})."
    except smtplib.SMTPResponseException as error:  # its text may repeat what was sent
        return f"The mail server answered {error.smtp_code}."
    except (smtplib.SMTPException, OSError) as error:
        return f"The mail server could not be used: {type(error).__name__}."
    if refused:
        _LOG.warning("The mail server refused %d of %d addresses of a notice.", len(refused), len(recipients))
    return ""


def _is_here(host: str) -> bool:
    address = literal_address(host)
    return host == "localhost" or (address is not None and address.is_loopback)
