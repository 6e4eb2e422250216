"""The Messages API of Anthropic; fields after its reference (Messages, Errors, Versions)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import ClassVar

from core.errors import TouchstoneError
from core.models.llm.dialect import Body, Dialect, field, objects, split_request, texts, without_limits


class Anthropic(Dialect):
    """POST /messages. It has no log-probabilities, no seed, and one form of structured answers, by a schema."""

    maker: ClassVar[str] = "Anthropic's Messages API"
    path: ClassVar[str] = "/messages"
    key_header: ClassVar[str] = "x-api-key"
    headers: ClassVar[Mapping[str, str]] = MappingProxyType({"anthropic-version": "2023-06-01"})

    def body(self, request: Body) -> Body:
        chat_fields, sent = split_request(
            request,
            *("messages", "max_tokens", "max_completion_tokens", "stop", "response_format", "logprobs"),
            *("top_logprobs", "output_config"),
        )
        if chat_fields.get("logprobs"):
            raise TouchstoneError(
                "The Messages API of Anthropic gives no log-probabilities, which the score is made of. Ask another endpoint."
            )
        messages = objects(chat_fields["messages"])
        if system := [message["content"] for message in messages if message["role"] == "system"]:
            sent["system"] = system[0]
        sent["messages"] = [message for message in messages if message["role"] != "system"]
        sent["max_tokens"] = chat_fields.get("max_tokens", chat_fields.get("max_completion_tokens"))
        if stop := chat_fields.get("stop"):
            sent["stop_sequences"] = [stop]

        output_config = chat_fields.get("output_config")
        config = dict(output_config) if isinstance(output_config, dict) else {}
        if schema := field(field(chat_fields.get("response_format"), "json_schema"), "schema"):
            config["format"] = {"type": "json_schema", "schema": without_limits(schema)}
        return sent | ({"output_config": config} if config else {})

    def completion(self, answer: object) -> object:
        if not isinstance(answer, dict) or not isinstance(answer.get("content"), list):
            return answer
        message: dict[str, object] = {"content": answer["content"]}
        if answer.get("stop_reason") == "refusal":
            words = field(answer.get("stop_details"), "explanation") or texts(answer["content"])
            message["refusal"] = words or "It gives no reason."
        choice = {"message": message, "finish_reason": answer.get("stop_reason")}
        return {"choices": [choice], "usage": answer.get("usage")}

    def next_page(self, listed: object) -> dict[str, str]:
        following = super().next_page(listed)
        return {"after_id": following["after"]} if following else {}
