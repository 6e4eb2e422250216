"""The APIs that an endpoint may speak, by the name in its field `api`."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from core.models.llm.dialect import Dialect
from core.models.llm.dialects.anthropic import Anthropic
from core.models.llm.dialects.chat import Chat
from core.models.llm.dialects.gemini import Gemini
from core.models.llm.dialects.responses import Responses
from core.models.llm.endpoints.endpoints_file import Api

DIALECTS: Mapping[Api, Dialect] = MappingProxyType(
    {"chat": Chat(), "responses": Responses(), "anthropic": Anthropic(), "gemini": Gemini()}
)
