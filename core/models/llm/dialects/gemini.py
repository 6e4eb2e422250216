"""The API of Gemini; fields after its reference (Generating content: GenerateContentRequest, GenerateContentResponse)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from core.models.llm.dialect import Body, Dialect, field, objects, split_request, texts

_SAMPLING = {"temperature": "temperature", "top_p": "topP", "seed": "seed", "top_logprobs": "logprobs"}
_LIMITS = ("max_tokens", "max_completion_tokens")
_FILTERED = frozenset(
    {"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "IMAGE_PROHIBITED_CONTENT"}
)


class Gemini(Dialect):
    """POST /models/MODEL:generateContent, below an address such as https://generativelanguage.googleapis.com/v1beta."""

    maker: ClassVar[str] = "Gemini"
    path: ClassVar[str] = "/models/{model}:generateContent"
    key_header: ClassVar[str] = "x-goog-api-key"

    def body(self, request: Body) -> Body:
        chat_fields, sent = split_request(
            request,
            *("model", "messages", "stop", "response_format", "logprobs", "generationConfig"),
            *(*_SAMPLING, *_LIMITS),
        )
        config: Body = {name: chat_fields[ours] for ours, name in _SAMPLING.items() if ours in chat_fields}
        config["maxOutputTokens"] = next((chat_fields[limit] for limit in _LIMITS if limit in chat_fields), None)
        if stop := chat_fields.get("stop"):
            config["stopSequences"] = [stop]
        if chat_fields.get("logprobs"):
            config["responseLogprobs"] = True
        if form := chat_fields.get("response_format"):
            config["responseMimeType"] = "application/json"
            if schema := field(field(form, "json_schema"), "schema"):
                config["responseJsonSchema"] = schema
        generation_config = chat_fields.get("generationConfig")
        sent["generationConfig"] = config | (generation_config if isinstance(generation_config, dict) else {})

        messages = objects(chat_fields["messages"])
        if system := [_content(message) for message in messages if message["role"] == "system"]:
            sent["systemInstruction"] = system[0]
        roles = {"user": "user", "assistant": "model"}
        sent["contents"] = [
            {"role": roles[str(message["role"])], **_content(message)}
            for message in messages
            if message["role"] != "system"
        ]
        return sent

    def completion(self, answer: object) -> object:
        blocked = field(field(answer, "promptFeedback"), "blockReason")
        candidates = objects(field(answer, "candidates"))
        if not candidates and not blocked:
            return answer
        candidate = candidates[0] if candidates else {}
        parts = objects(field(candidate.get("content"), "parts"))
        message = {
            "content": texts([part for part in parts if part.get("thought") is not True]),
            "reasoning": texts([part for part in parts if part.get("thought") is True]),
        }
        ended = candidate.get("finishReason", blocked)
        filtered = ended in _FILTERED or not candidates
        result = candidate.get("logprobsResult")
        tokens, likely = objects(field(result, "chosenCandidates")), objects(field(result, "topCandidates"))
        # the likely tokens at each place, as Chat Completions gives them
        places = [
            {
                "token": token.get("token"),
                "top_logprobs": [
                    {"token": likely_token.get("token"), "logprob": likely_token.get("logProbability")}
                    for likely_token in objects(top.get("candidates"))
                ],
            }
            for token, top in zip(tokens, likely, strict=False)
        ]
        choice = {
            "message": message,
            "finish_reason": "content_filter" if filtered else ended,
            "logprobs": {"content": places},
        }
        return {"choices": [choice], "usage": field(answer, "usageMetadata")}

    def model_list(self, listed: object) -> object:
        if not isinstance(models := field(listed, "models"), list):
            return listed
        return {
            "data": [{**model, "id": str(model.get("name", "")).removeprefix("models/")} for model in objects(models)]
        }

    def next_page(self, listed: object) -> dict[str, str]:
        token = field(listed, "nextPageToken")
        return {"pageToken": token} if isinstance(token, str) and token else {}


def _content(message: Mapping[str, object]) -> Body:
    return {"parts": [{"text": message["content"]}]}
