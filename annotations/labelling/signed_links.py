"""Signatures of study links: with a secret of the server, nobody comes in by the id of a participant alone."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from urllib.parse import urlencode

from annotations.labelling.crowd import PARAMETERS, CrowdRefusedError, Participant, Platform

_PARAMETER = "signature"
_PLACE = "link"
"""Study and submission of a link that no platform filled in."""


def sign_participant(secret: str, key: str, participant: str) -> str:
    """HMAC-SHA256 of `KEY:PARTICIPANT` as 64 hexadecimal digits; the key is that of the study link."""
    return hmac.new(secret.encode(), f"{key}:{participant}".encode(), hashlib.sha256).hexdigest()


def check_signature(secret: str, key: str, participant: Participant, parameters: Mapping[str, str]) -> None:
    """Refuse a link that this secret did not sign; an empty secret takes every link. Raises CrowdRefusedError."""
    if not secret:
        return
    signature = parameters.get(_PARAMETER, "")
    if not signature:
        raise CrowdRefusedError(
            "This study takes signed links only, and yours has no signature. Ask the requester for it."
        )
    if not hmac.compare_digest(signature.encode(), sign_participant(secret, key, participant.id).encode()):
        raise CrowdRefusedError(
            "The signature of this link is not that of its participant. Ask the requester for yours."
        )


def signed_address(server: str, key: str, platform: Platform, participant: str, secret: str) -> str:
    """Link for a participant, to be sent to them. Raises CrowdRefusedError for a malformed id."""
    values = dict(zip(PARAMETERS[platform], (participant, _PLACE, _PLACE), strict=True))
    signature = sign_participant(secret, key, Participant.read(platform, values).id)
    return f"{server}/study/{key}?{urlencode({**values, _PARAMETER: signature})}"
