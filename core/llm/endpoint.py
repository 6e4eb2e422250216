"""Which OpenAI-compatible endpoint is configured, if any, and which of its models is asked."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from core.errors import BadSettingError, NoEndpointError
from core.settings import Settings

SOURCE = "package:core.llm"
"""The source of a checkpoint whose answers come from the configured endpoint: code of ours, and nothing to download."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask, and how many seconds one try may take. The key shows in no print, log or traceback."""

    base_url: str
    key: str = field(repr=False)
    patience_s: float = 60.0

    @property
    def root(self) -> str:
        """The server without the version that the paths of OpenAI begin with."""
        return self.base_url.removesuffix("/v1")

    @property
    def fingerprint(self) -> str:
        """Sha256, in hex, of the address: two servers are not the same, whatever they call their models."""
        return hashlib.sha256(self.base_url.encode()).hexdigest()


def configured() -> Endpoint:
    """The endpoint that is set now; raises NoEndpointError, and BadSettingError for an address with a password.

    Read at every question and not with the other settings: a key that travelled through checkpoints or questions would
    end in signatures and caches.
    """
    settings = Settings.read()
    address = settings.llm_base_url.strip().rstrip("/")
    if not address:
        raise NoEndpointError(
            "No language-model endpoint is set. Set TOUCHSTONE_LLM_BASE_URL (and TOUCHSTONE_LLM_API_KEY where it wants one), "
            "for example to http://localhost:8000/v1 of a vLLM server."
        )
    if "@" in urlsplit(address).netloc or "?" in address:
        raise BadSettingError(
            "TOUCHSTONE_LLM_BASE_URL holds a password or a query, and addresses stand in logs. Leave the address alone in it, "
            "and set TOUCHSTONE_LLM_API_KEY."
        )
    return Endpoint(address, settings.llm_api_key.get_secret_value(), patience_s=settings.llm_patience_s)


def chosen_model(named: str) -> str:
    """The model that is named, else that of TOUCHSTONE_LLM_MODEL; raises NoEndpointError where there is neither."""
    model = named.strip() or Settings.read().llm_model.strip()
    if not model:
        raise NoEndpointError(
            "No language model is named. Set TOUCHSTONE_LLM_MODEL to the name of one that the endpoint serves, or model=…."
        )
    return model


def missing_endpoint() -> str:
    """What to set, where no endpoint is configured; empty where one is."""
    try:
        configured()
    except NoEndpointError as error:
        return str(error)
    return ""
