"""Which OpenAI-compatible endpoint is configured, if any."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.errors import NoEndpointError
from core.settings import Settings

SOURCE = "package:core.llm"
"""The source of a checkpoint whose answers come from the configured endpoint: code of ours, and nothing to download."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where to ask. The key shows in no print, log or traceback."""

    base_url: str
    key: str = field(repr=False)

    @property
    def root(self) -> str:
        """The server without the version that the paths of OpenAI begin with."""
        return self.base_url.rstrip("/").removesuffix("/v1")


def configured() -> Endpoint:
    """The endpoint that is set now; raises NoEndpointError.

    Read at every question and not with the other settings: a key that travelled through checkpoints or questions would
    end in signatures and caches.
    """
    settings = Settings.read()
    if not settings.llm_base_url.strip():
        raise NoEndpointError(
            "No language-model endpoint is set. Set TOUCHSTONE_LLM_BASE_URL (and TOUCHSTONE_LLM_API_KEY where it wants one), "
            "for example to http://localhost:8000/v1 of a vLLM server."
        )
    return Endpoint(settings.llm_base_url.strip(), settings.llm_api_key.get_secret_value())


def missing_endpoint() -> str:
    """What to set, where no endpoint is configured; empty where one is."""
    try:
        configured()
    except NoEndpointError as error:
        return str(error)
    return ""
