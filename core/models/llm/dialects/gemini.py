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
        known, sent = split_request(
            request,
            *("model", "messages", "stop", "response_format", "logprobs", "generationConfig"),
            *(*_SAMPLING, *_LIMITS),
        )
        config: Body = {name: known[ours] for ours, name in _SAMPLING.items() if ours in known}
        config["maxOutputTokens"] = next((known[limit] for limit in _LIMITS if limit in known), None)
        if stop := known.get("stop"):
            config["stopSequences"] = [stop]
        if known.get("logprobs"):
            config["responseLogprobs"] = True
        if form := known.get("response_format"):
            config["responseMimeType"] = "application/json"
            if schema := field(field(form, "json_schema"), "schema"):
                config["responseJsonSchema"] = schema
        given = known.get("generationConfig")
        sent["generationConfig"] = config | (given if isinstance(given, dict) else {})

        messages = objects(known["messages"])
        if system := [_content(one) for one in messages if one["role"] == "system"]:
            sent["systemInstruction"] = system[0]
        roles = {"user": "user", "assistant": "model"}
        sent["contents"] = [
            {"role": roles[str(one["role"])], **_content(one)} for one in messages if one["role"] != "system"
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
                "token": chosen.get("token"),
                "top_logprobs": [
                    {"token": one.get("token"), "logprob": one.get("logProbability")}
                    for one in objects(top.get("candidates"))
                ],
            }
            for chosen, top in zip(tokens, likely, strict=False)
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
        return {"data": [{**one, "id": str(one.get("name", "")).removeprefix("models/")} for one in objects(models)]}


def _content(message: Mapping[str, object]) -> Body:
    return {"parts": [{"text": message["content"]}]}
