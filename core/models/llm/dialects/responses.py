"""The Responses API of OpenAI; fields after its reference (Responses, Create a response; The response object)."""

from __future__ import annotations

from typing import ClassVar

from core.errors import TouchstoneError
from core.models.llm.dialect import Body, Dialect, field, objects, split_request, texts

_MIN_OUTPUT_TOKENS = 16  # it refuses a lower limit
_ENDS = {"completed": "stop", "max_output_tokens": "length", "content_filter": "content_filter"}


class Responses(Dialect):
    """POST /responses. It has no seed and no word to stop at, and stores nothing at the server."""

    maker: ClassVar[str] = "OpenAI's Responses API"
    path: ClassVar[str] = "/responses"

    def body(self, request: Body) -> Body:
        chat_fields, sent = split_request(
            request,
            *("messages", "max_tokens", "max_completion_tokens", "stop", "response_format", "logprobs", "text"),
        )
        if chat_fields.get("stop"):
            raise TouchstoneError('The Responses API takes no stop. Leave it out, or ask with api = "chat".')
        messages = objects(chat_fields["messages"])
        system = [message["content"] for message in messages if message["role"] == "system"]
        sent["input"] = [message for message in messages if message["role"] != "system"]
        sent.setdefault("store", False)
        if system:
            sent["instructions"] = system[0]

        limit = chat_fields.get("max_tokens", chat_fields.get("max_completion_tokens"))
        if isinstance(limit, int):
            sent["max_output_tokens"] = max(limit, _MIN_OUTPUT_TOKENS)
        if chat_fields.get("logprobs"):
            sent["include"] = ["message.output_text.logprobs"]

        text = chat_fields.get("text")
        options = dict(text) if isinstance(text, dict) else {}
        if isinstance(form := chat_fields.get("response_format"), dict):
            schema = form.get("json_schema")
            options["format"] = {"type": form["type"], **(schema if isinstance(schema, dict) else {})}
        return sent | ({"text": options} if options else {})

    def completion(self, answer: object) -> object:
        if not isinstance(answer, dict) or not isinstance(answer.get("output"), list):
            return answer
        if answer.get("error"):
            return {"error": answer["error"]}
        text = reasoning = refusal = ""
        places: list[object] = []
        for item in objects(answer["output"]):
            parts = objects(item.get("content"))
            if item.get("type") == "reasoning":
                reasoning += texts(item.get("summary")) + texts(parts)
            elif item.get("phase") == "commentary":
                reasoning += texts(parts)
            elif item.get("type") == "message":
                text += texts(parts)
                refusal += texts(parts, "refusal")
                places += [place for part in parts for place in objects(part.get("logprobs"))]

        status = field(answer.get("incomplete_details"), "reason") or answer.get("status")
        ended = _ENDS.get(status, status) if isinstance(status, str) else None
        message = {"content": text, "reasoning": reasoning, "refusal": refusal}
        choice = {"message": message, "finish_reason": ended, "logprobs": {"content": places}}
        return {"choices": [choice], "usage": answer.get("usage")}
