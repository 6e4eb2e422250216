"""Each documented form of a refusal is of its kind, by status, code and words."""

from __future__ import annotations

import pytest

from core.models.llm.client.refusal_kinds import RefusalKind, answer_share, refusal_kind, token_limit, window_of
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
    (400, "litellm.ContentPolicyViolationError: AzureException - blocked", RefusalKind.FILTER),
    (400, {"innererror": {"code": "ResponsibleAIPolicyViolation"}, "message": "No."}, RefusalKind.FILTER),
    (498, "invalid request: prompt blocked, potentially violates our Usage Guidelines", RefusalKind.FILTER),
    (400, "The input (61709 tokens) is longer than the model's context length (40960 tokens).", RefusalKind.TOO_LONG),
    (400, "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens).", RefusalKind.TOO_LONG),
    (400, "max_tokens must be at least 1, got -186.", RefusalKind.TOO_LONG),
    (422, "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens", RefusalKind.TOO_LONG),
    (429, "on tokens per minute (TPM): Limit 7000, Used 0, Requested ~12903.", RefusalKind.TOO_LONG),
    (429, "tokens per day (TPD): Limit 100000, Used 97050, Requested 3619. Try again in 9m38.016s", RefusalKind.BUSY),
    (429, "Too many tokens, please wait before trying again.", RefusalKind.BUSY),
    (400, "An error occurred (ThrottlingException) when calling the InvokeModel operation", RefusalKind.BUSY),
    (503, "server busy, please try again.  maximum pending requests exceeded", RefusalKind.BUSY),
    (429, "Service tier capacity exceeded for this model.", RefusalKind.BUSY),
    (403, "Your newly created teams doesn't have any credits yet. You can purchase credits.", RefusalKind.MONEY),
    (412, "Account x is suspended, possibly due to reaching the monthly spending limit", RefusalKind.MONEY),
    (429, "Your team has used all available credits or reached its spending limit.", RefusalKind.MONEY),
    (400, "No models loaded. Please load a model in the developer page.", RefusalKind.MODEL),
    (400, "Failed to load model x. Error: Error loading model.", RefusalKind.MODEL),
    (404, 'model "llama3" not found, try pulling it first', RefusalKind.MODEL),
    (500, "model requires more system memory (5.6 GiB) than is available (3.1 GiB)", RefusalKind.MODEL),
    (400, "Invocation of model ID x with on-demand throughput isn't supported.", RefusalKind.MODEL),
    (400, "The model has crashed without additional information. (Exit code: 6)", RefusalKind.SERVER),
    (524, "<html><title>api.example | 524: A timeout occurred</title></html>", RefusalKind.SERVER),
    (500, "The model produced output that does not match the expected peg-native format", RefusalKind.SERVER),
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
        ("Limit 7000, Used 0, Requested ~12903", (12903, 7000)),
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
        ({"message": "Input length (160062 tokens) exceeds the maximum allowed length (59862 tokens)."}, 59862),
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
        ({"x-ratelimit-reset-requests-day": "33011.38"}, "Requests per day limit exceeded", 33011.38),
        ({}, "usage limit exceeded, resets at 2026-01-01T00:00:00Z (2056)", 0.0),  # which is past
        ({"x-ratelimit-remaining-tokens": "70", "x-ratelimit-reset-tokens": "6.5s"}, "", None),
    ],
)
def test_the_pause_that_a_server_names_is_read(headers: dict[str, str], words: str, seconds: float | None) -> None:
    assert named_pause_s(headers, {"message": words}) == seconds


@pytest.mark.parametrize(
    ("words", "share"),
    [
        (
            "maximum context length is 6048 tokens. You requested 6616 (568 in the messages, 6048 in the completion)",
            (568, 6048),
        ),
        ("30000 tokens from the input messages and 10000 tokens for the completion", (30000, 10000)),
        (
            "'max_tokens' is too large: 10000. This model's window is 4096 and your request has 568 input tokens",
            (568, 10000),
        ),
        ("Given: 3000 `inputs` tokens and 2000 `max_new_tokens`", (3000, 2000)),
        ("This model's maximum context length is 8192 tokens.", None),
    ],
)
def test_question_and_answer_are_told_apart(words: str, share: tuple[int, int] | None) -> None:
    assert answer_share({"message": words}) == share
