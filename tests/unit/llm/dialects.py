"""Answers in the dialects of servers, as they document them or as their users report them, one line each."""

from __future__ import annotations

from tests.unit.llm.faults import NOW, OK, Fault, fails, scores
from tests.unit.llm.scripted import Reply


def rated(name: str, body: object, **headers: str) -> Fault:
    """A refusal of the rate, after which the question is asked again and answered."""
    return scores(name, Reply(body, 429, headers=headers), OK, requests=2)


def unpaid(name: str, body: object, status: int = 429, requests: int = 1, **headers: str) -> Fault:
    """A refusal for want of money, after which nothing is asked again."""
    return fails(name, "wants money", Reply(body, status, headers=headers), requests=requests)


def words(name: str, body: object, outcome: str, status: int = 400, requests: int = 2) -> Fault:
    """A refusal whose words stand in the message; it is asked once more without a schema."""
    return fails(name, outcome, Reply(body, status), requests=requests)


def adapted(name: str, body: object, status: int = 400, requests: int = 2) -> Fault:
    """A refusal of one part of the request, which is left out, and answered then."""
    return scores(name, Reply(body, status), OK, requests=requests)


_AZURE = (
    "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-08-01-preview have exceeded token "
    "rate limit of your current OpenAI S0 pricing tier. Please retry after {} seconds. Please go here: "
    "https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit."
)
_OPENAI_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, read "
    "the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
)
_GEMINI_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, head "
    "to: https://ai.google.dev/gemini-api/docs/rate-limits."
)

RATES = [
    rated("rate: Azure", {"error": {"code": "429", "message": _AZURE.format(20)}}, **NOW),
    rated("rate: Azure, pause in its words", {"error": {"code": "429", "message": _AZURE.format(0.01)}}),
    fails(
        "rate: Azure, a day",
        "has reached its rate limit. Wait 86400 s",
        Reply({"error": {"code": "429", "message": _AZURE.format(86400)}}, 429),
    ),
    rated(
        "rate: OpenAI, tokens per minute",
        {
            "error": {
                "message": "Rate limit reached for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Used "
                "29000, Requested 1200. Please try again in 6ms. Visit "
                "https://platform.openai.com/account/billing to add a payment method.",
                "type": "tokens",
                "param": None,
                "code": "rate_limit_exceeded",
            }
        },
    ),
    fails(
        "rate: OpenAI, requests per day",
        "Wait 432 s",
        Reply(
            {
                "error": {
                    "message": "Rate limit reached for gpt-4o on requests per day (RPD): Limit 200. Please try again in "
                    "7m12s. Visit https://platform.openai.com/account/billing to increase it.",
                    "type": "requests",
                    "code": "rate_limit_exceeded",
                }
            },
            429,
        ),
    ),
    rated(
        "rate: Gemini, with a pause",
        [
            {
                "error": {
                    "code": 429,
                    "message": f"{_GEMINI_QUOTA} Please retry in 0.004466179s.",
                    "status": "RESOURCE_EXHAUSTED",
                    "details": [
                        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.004s"},
                    ],
                }
            }
        ],
    ),
    rated(
        "rate: Gemini, by quota of a minute",
        [
            {
                "error": {
                    "code": 429,
                    "message": _GEMINI_QUOTA,
                    "status": "RESOURCE_EXHAUSTED",
                    "details": [
                        {
                            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
                            "violations": [{"quotaId": "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}],
                        }
                    ],
                }
            }
        ],
        **NOW,
    ),
    rated(
        "rate: Vertex",
        {
            "error": {
                "code": 429,
                "message": "Resource has been exhausted (e.g. check quota).",
                "status": "RESOURCE_EXHAUSTED",
            }
        },
        **NOW,
    ),
    rated(
        "rate: Anthropic",
        {
            "type": "error",
            "error": {
                "type": "rate_limit_error",
                "message": "This request would exceed your organization's rate limit of 50 requests per minute. Contact sales "
                "for billing questions.",
            },
        },
        **NOW,
    ),
    rated("rate: Mistral", {"message": "Requests rate limit exceeded", "type": "rate_limited", "code": "1300"}, **NOW),
    rated("rate: a text and a pause", "quota and billing", **NOW),
    rated("rate: no body", None, **NOW),
    unpaid(
        "money: OpenAI",
        {"error": {"message": _OPENAI_QUOTA, "type": "insufficient_quota", "code": "insufficient_quota"}},
    ),
    unpaid("money: OpenAI, only its words", {"error": {"message": _OPENAI_QUOTA}}),
    unpaid(
        "money: by way of LiteLLM",
        {
            "error": {
                "message": f"AzureException RateLimitError - {_OPENAI_QUOTA}",
                "type": None,
                "code": "429",
            }
        },
    ),
    unpaid(
        "money: with a pause",
        {"error": {"message": _OPENAI_QUOTA, "type": "insufficient_quota", "code": "insufficient_quota"}},
        **NOW,
    ),
    unpaid("money: DeepSeek", {"error": {"message": "Insufficient Balance", "code": "invalid_request_error"}}, 402),
    unpaid(
        "money: Anthropic",
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing.",
            },
        },
        400,
        requests=2,
    ),
    unpaid(
        "money: Hugging Face",
        {"error": "You have exceeded your monthly included credits for Inference Providers. Subscribe to PRO."},
        402,
    ),
    unpaid(
        "money: xAI",
        {
            "code": "Some resource has been exhausted",
            "error": "Your team has either used all available credits or reached its monthly spending limit.",
        },
    ),
]

REFUSALS = [
    words("words: Ollama", {"error": "model requires more system memory"}, "400 - model requires more system memory"),
    words("words: text", "the prompt is too long", "400 - the prompt is too long"),
    fails("words: plain text", "400 - context overflow", Reply(raw=b"context overflow", status=400), requests=2),
    fails(
        "words: a page",
        "400 The plain HTTP request was sent to HTTPS port",
        Reply(
            raw=b"<html><head><title>400 The plain HTTP request was sent to HTTPS port</title></head><body>nginx</body>",
            status=400,
            headers={"Content-Type": "text/html"},
        ),
        requests=2,
    ),
    words("words: FastAPI", {"detail": "No such deployment"}, "400 - No such deployment"),
    words(
        "words: a list of FastAPI",
        {"detail": [{"type": "missing", "loc": ["body", "model_id"], "msg": "Field required", "input": {}}]},
        "422 - body.model_id: Field required",
        422,
    ),
    words(
        "words: flat", {"object": "error", "message": "maximum context length is 8192", "code": 400}, "length is 8192"
    ),
    words("words: TGI", {"error": "Input validation error: too long", "error_type": "validation"}, "error: too long"),
    words("words: Gemini", [{"error": {"code": 400, "message": "API key expired.", "status": "x"}}], "API key expired"),
    words(
        "words: Cloudflare", {"success": False, "errors": [{"code": 5006, "message": "Bad input"}]}, "400 - Bad input"
    ),
    words(
        "words: OpenRouter",
        {"error": {"message": "Provider returned error", "metadata": {"raw": '{"error": {"message": "Too long."}}'}}},
        "Provider returned error; Too long",
    ),
    words(
        "words: an object in the message",
        {"object": "error", "message": {"detail": [{"loc": ["body", "n"], "msg": "must be 1"}]}, "type": "x"},
        "body.n: must be 1",
    ),
    words("words: none that are known", {"reason": 7}, '{"reason": 7}'),
    words("words: a list of texts", {"error": ["one", "two"]}, "400 - one; two"),
    fails(
        "words: 401 as text",
        "does not accept the key. .*“Unauthorized by the gate”",
        Reply(raw=b"Unauthorized by the gate", status=401),
    ),
    fails("words: 404 of FastAPI", "serves no model 'm' .*“Not Found”", Reply({"detail": "Not Found"}, 404)),
    adapted("left out: max_tokens of a text", {"error": "unknown argument max_tokens"}),
    adapted(
        "left out: seed and schema of a list",
        {"detail": [{"loc": ["body", "response_format"], "msg": "Extra inputs"}]},
        422,
    ),
    adapted("left out: top_p, flat", {"message": "`temperature` and `top_p` cannot both be specified for this model."}),
    adapted(
        "left out: top_p by way of OpenRouter",
        {"error": {"message": "Provider returned error", "metadata": {"raw": '{"message": "top_p is not supported"}'}}},
    ),
    scores("left out: the system role as text", Reply(raw=b"System role not supported", status=400), OK, requests=2),
    adapted("left out: the schema of a page", "<html><body>json_schema is not supported</body></html>"),
    fails(
        "temperature in words",
        r"takes no temperature for this model.*Set reasoning_tokens under \[fault-.* or leave_out under",
        Reply({"detail": "temperature is not supported"}, 400),
        requests=2,
    ),
]

DIALECTS = [*RATES, *REFUSALS]
