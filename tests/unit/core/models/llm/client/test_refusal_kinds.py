"""Each documented form of a refusal is of its kind, by status, code and words."""

from __future__ import annotations

import pytest

from core.models.llm.client.refusal_kinds import RefusalKind, refusal_kind, token_limit, window_of
from core.models.llm.client.refusals import named_pause_s

PROVIDERS = {"code": 429, "message": "Provider returned error", "metadata": {"raw": "slow down"}}
LITELLM = {"message": "Budget has been exceeded! Current cost: 1.2, Max budget: 1.0", "type": "budget_exceeded"}
ECHO = {
    "loc": ["body", "seed"],
    "msg": "Extra inputs are not permitted",
    "input": "a text that was flagged: loading model",
}

FORMS = [
    (429, "Rate limit reached for gpt in organization x on requests per min (RPM): Limit 3", RefusalKind.BUSY),
    (529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, RefusalKind.BUSY),
    (503, {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}, RefusalKind.BUSY),
    (503, {"error": "Model x is currently loading", "estimated_time": 20.0}, RefusalKind.BUSY),
    (429, PROVIDERS, RefusalKind.BUSY),
    (429, {"code": "insufficient_quota", "message": "You exceeded your current quota"}, RefusalKind.MONEY),
    (429, LITELLM, RefusalKind.MONEY),
    (400, LITELLM, RefusalKind.MONEY),
    (402, "Insufficient credits", RefusalKind.MONEY),
    (400, "Your credit balance is too low to access the Anthropic API.", RefusalKind.MONEY),
    (401, "No auth credentials", RefusalKind.KEY),
    (
        400,
        {"message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"},
        RefusalKind.KEY,
    ),
    (400, "Authentication Error, Invalid proxy server token passed. token_not_found_in_db", RefusalKind.KEY),
    (404, {"code": "model_not_found", "message": "The model `x` does not exist"}, RefusalKind.MODEL),
    (400, "/chat/completions: Invalid model name passed in model=x", RefusalKind.MODEL),
    (404, "This model is only supported in v1/responses and not in v1/chat/completions.", RefusalKind.MODEL),
    (
        403,
        {"code": 403, "message": "Your chosen model requires moderation and your input was flagged"},
        RefusalKind.FILTER,
    ),
    (400, {"code": "content_filter", "message": "The response was filtered"}, RefusalKind.FILTER),
    (400, "Content Exists Risk", RefusalKind.FILTER),
    (400, {"code": "context_length_exceeded", "message": "maximum context length is 8192"}, RefusalKind.TOO_LONG),
    (400, {"type": "exceed_context_size_error", "n_ctx": 4096, "n_prompt_tokens": 9000}, RefusalKind.TOO_LONG),
    (413, "Request too large for model x on tokens per minute (TPM): Limit 6000, Requested 9000", RefusalKind.TOO_LONG),
    (429, "Request too large: Limit 10000, Requested 24000", RefusalKind.TOO_LONG),
    (400, "prompt is too long: 210000 tokens > 200000 maximum", RefusalKind.TOO_LONG),
    (400, "This response_format type is unavailable now", RefusalKind.SCHEMA),
    (400, "Invalid schema for response_format 'Mark': 'maximum' is not permitted", RefusalKind.SCHEMA),
    (500, "('body', 'response_format'): 'json_schema'", RefusalKind.SCHEMA),
    (400, "Unsupported parameter: 'max_tokens' is not supported with this model", RefusalKind.PARAMETER),
    (400, "`temperature` is deprecated for this model.", RefusalKind.PARAMETER),
    (404, "No endpoints found that support the requested parameters.", RefusalKind.PARAMETER),
    (422, {"detail": [ECHO]}, RefusalKind.PARAMETER),
    (500, "CUDA out of memory", RefusalKind.SERVER),
    (400, "The weather is bad", RefusalKind.QUESTION),
]


@pytest.mark.parametrize(("status", "body", "kind"), FORMS)
def test_a_refusal_is_of_its_kind(status: int, body: object, kind: RefusalKind) -> None:
    error = body if isinstance(body, dict) else {"message": body}
    assert refusal_kind(status, {}, error) is kind
    assert refusal_kind(status, {}, body) is kind


def test_every_kind_has_a_form() -> None:
    assert {kind for *_, kind in FORMS} == set(RefusalKind)


@pytest.mark.parametrize(
    ("words", "limit"),
    [
        ("Limit 10000, Requested 24000", (24000, 10000)),
        ("Limit: 10,000, Used: 9,000, Requested: 2,000", None),
        ("Requested 900 tokens, limit 1,000", None),
    ],
)
def test_a_question_that_never_fits_is_told_from_one_that_waits(words: str, limit: tuple[int, int] | None) -> None:
    assert token_limit({"message": words}) == limit


@pytest.mark.parametrize(
    ("body", "window"),
    [
        ({"message": "This model's maximum context length is 8192 tokens. You requested 9000."}, 8192),
        ({"n_ctx": 4096, "n_prompt_tokens": 9000}, 4096),
        ({"message": "prompt is too long: 210000 tokens > 200000 maximum"}, 200000),
        ({"message": "too long"}, None),
    ],
)
def test_the_window_of_a_model_is_read(body: object, window: int | None) -> None:
    assert window_of(body) == window


@pytest.mark.parametrize(
    ("headers", "words", "seconds"),
    [
        ({"retry-after-ms": "1500"}, "", 1.5),
        ({}, "Please try again in 7m12s.", 432.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "6.5s"}, "", 6.5),
        ({"x-ratelimit-remaining-tokens": "70", "x-ratelimit-reset-tokens": "6.5s"}, "", None),
    ],
)
def test_the_pause_that_a_server_names_is_read(headers: dict[str, str], words: str, seconds: float | None) -> None:
    assert named_pause_s(headers, {"message": words}) == seconds
