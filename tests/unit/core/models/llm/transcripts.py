"""Answers in the forms that the references of providers document, with texts of our own.

OpenAI: The response object, and types/responses of openai-python. Anthropic: Messages and Errors, and types of
anthropic-sdk-python. Gemini: GenerateContentResponse, and types.py of python-genai; errors as their users report them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

SAID, THOUGHT = "It is consistent.", "The ferry did leave."
JSON = dict[str, Any]


def responses(*output: JSON, **fields: object) -> JSON:
    usage = {
        "input_tokens": 36,
        "input_tokens_details": {"cached_tokens": 12, "cache_write_tokens": 0},
        "output_tokens": 87,
        "output_tokens_details": {"reasoning_tokens": 64},
        "total_tokens": 123,
    }
    answer = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1741476542,
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "model": "m",
        "output": list(output),
        "parallel_tool_calls": True,
        "store": False,
        "text": {"format": {"type": "text"}},
        "usage": usage,
    }
    return answer | fields


def responses_message(content: JSON, **fields: object) -> JSON:
    return {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant", "content": [content]} | fields


def output_text(text: str = SAID, logprobs: list[JSON] | None = None) -> JSON:
    return {"type": "output_text", "text": text, "annotations": [], "logprobs": logprobs or []}


def responses_place(shares: Mapping[str, float]) -> JSON:
    top = [
        {"token": token, "bytes": list(token.encode()), "logprob": math.log(share)} for token, share in shares.items()
    ]
    return {**top[0], "top_logprobs": top}


RESPONSES_REASONING = {
    "type": "reasoning",
    "id": "rs_1",
    "summary": [{"type": "summary_text", "text": THOUGHT}],
    "content": None,
    "encrypted_content": None,
}


def anthropic(*content: JSON, **fields: object) -> JSON:
    usage = {
        "input_tokens": 20,
        "cache_creation_input_tokens": 4,
        "cache_read_input_tokens": 12,
        "cache_creation": {"ephemeral_5m_input_tokens": 4, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 87,
        "service_tier": "standard",
    }
    answer = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": list(content),
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": usage,
    }
    return answer | fields


ANTHROPIC_TEXT = {"type": "text", "text": SAID, "citations": None}
ANTHROPIC_THINKING = {"type": "thinking", "thinking": THOUGHT, "signature": "EqQB"}


def anthropic_error(kind: str, message: str) -> JSON:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def gemini(*parts: JSON, **candidate: object) -> JSON:
    content = {"parts": list(parts), "role": "model"}
    usage = {
        "promptTokenCount": 36,
        "cachedContentTokenCount": 12,
        "candidatesTokenCount": 23,
        "thoughtsTokenCount": 64,
        "totalTokenCount": 123,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 36}],
    }
    return {
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0} | candidate],
        "usageMetadata": usage,
        "modelVersion": "m",
        "responseId": "r1",
    }


def gemini_logprobs(*places: Mapping[str, float]) -> JSON:
    top = [
        {
            "candidates": [
                {"token": token, "tokenId": number, "logProbability": math.log(share)}
                for number, (token, share) in enumerate(shares.items())
            ]
        }
        for shares in places
    ]
    return {
        "avgLogprobs": -0.1,
        "logprobsResult": {"topCandidates": top, "chosenCandidates": [one["candidates"][0] for one in top]},
    }


GEMINI_THOUGHT = {"text": THOUGHT, "thought": True}
GEMINI_BLOCKED = {
    "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
    "usageMetadata": {"promptTokenCount": 36, "totalTokenCount": 36},
    "modelVersion": "m",
}


def gemini_error(code: int, message: str, status: str, *details: JSON) -> JSON:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


GEMINI_KEY_REFUSED = gemini_error(
    400,
    "API key not valid. Please pass a valid API key.",
    "INVALID_ARGUMENT",
    {
        "@type": "type.googleapis.com/google.rpc.ErrorInfo",
        "reason": "API_KEY_INVALID",
        "domain": "googleapis.com",
        "metadata": {"service": "generativelanguage.googleapis.com"},
    },
)
GEMINI_RATE_REFUSED = gemini_error(
    429,
    "You exceeded your current quota. Quota exceeded for metric: generate_content_free_tier_requests, limit: 15",
    "RESOURCE_EXHAUSTED",
    {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.01s"},
)
