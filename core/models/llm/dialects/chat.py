"""Chat Completions, as OpenAI, vLLM, Ollama, llama.cpp and most gateways speak it: nothing is translated."""

from __future__ import annotations

from typing import ClassVar

from core.models.llm.dialect import Body, Dialect


class Chat(Dialect):
    """POST /chat/completions."""

    maker: ClassVar[str] = "OpenAI"
    path: ClassVar[str] = "/chat/completions"

    def body(self, request: Body) -> Body:
        return request

    def completion(self, answer: object) -> object:
        return answer
