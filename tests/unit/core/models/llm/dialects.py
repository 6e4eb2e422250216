"""Answers in the dialects of servers, as they document them or as their users report them, one line each."""

from __future__ import annotations

import json

from tests.unit.core.models.llm.faults import MARK, NOW, OK, REASONING, Fault, events, fails, said, scores
from tests.unit.core.models.llm.scripted import Reply, completion


def rated(name: str, body: object, **headers: str) -> Fault:
    """A refusal of the rate, after which the question is asked again and answered."""
    return scores(name, Reply(body, 429, headers=headers), OK, requests=2)


def unpaid(name: str, body: object, status: int = 429, requests: int = 1, **headers: str) -> Fault:
    """A refusal of an account without money, after which nothing is asked again."""
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
    words(
        "words: Ollama",
        {"error": "model requires more system memory"},
        r"has not loaded 'm'\. Load it there",
        requests=1,
    ),
    words("words: text", "the prompt is too long", "too small a window.*“the prompt is too long”", requests=1),
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
        "words: flat",
        {"object": "error", "message": "maximum context length is 8192", "code": 400},
        "a window of 8,192 tokens.*length is 8192",
        requests=1,
    ),
    words("words: TGI", {"error": "Input validation error: too long", "error_type": "validation"}, "error: too long"),
    words(
        "words: Gemini",
        [{"error": {"code": 400, "message": "API key expired.", "status": "x"}}],
        "does not accept the key.*API key expired",
        requests=1,
    ),
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
        requests=1,
    ),
]


def used(name: str, usage: object, spend: tuple[int, int], **options: object) -> Fault:
    """An answer with this usage; what it cost is in the prices of the endpoint."""
    reply = Reply({"choices": [{"index": 0, "message": {"content": MARK}, "finish_reason": "stop"}], "usage": usage})
    return scores(name, reply, spend=spend, options=options)


USAGES = [
    used(
        "usage: Gemini, thoughts in the total",
        {"prompt_tokens": 20, "completion_tokens": 151, "total_tokens": 553},
        (20, 533),
    ),
    used("usage: Gemini, no answer counted", {"prompt_tokens": 20, "total_tokens": 60}, (20, 40)),
    used("usage: of the Responses API", {"input_tokens": 36, "output_tokens": 87, "total_tokens": 123}, (36, 87)),
    used(
        "usage: Anthropic, with its cache",
        {"input_tokens": 21, "cache_creation_input_tokens": 188, "cache_read_input_tokens": 100, "output_tokens": 39},
        (309, 39),
    ),
    used(
        "usage: native Gemini",
        {"promptTokenCount": 20, "candidatesTokenCount": 198, "thoughtsTokenCount": 405, "totalTokenCount": 623},
        (20, 603),
    ),
    used(
        "usage: xAI, reasoning apart",
        {
            "prompt_tokens": 32,
            "completion_tokens": 9,
            "total_tokens": 135,
            "completion_tokens_details": {"reasoning_tokens": 94},
        },
        (32, 103),
    ),
    used(
        "usage: OpenAI, reasoning within",
        {
            "prompt_tokens": 32,
            "completion_tokens": 103,
            "total_tokens": 135,
            "completion_tokens_details": {"reasoning_tokens": 94},
        },
        (32, 103),
    ),
    used("usage: a total that is less", {"prompt_tokens": 32, "completion_tokens": 10, "total_tokens": 5}, (32, 10)),
    used(
        "usage: of nested nulls",
        {"prompt_tokens": 7, "completion_tokens": 3, "prompt_tokens_details": None, "cost": None},
        (7, 3),
    ),
]


def chunks(*pieces: object) -> Reply:
    return events(*(json.dumps(one) for one in pieces), "[DONE]")


def piece(content: str | None, index: int = 0, ended: str | None = None) -> dict[str, object]:
    return {"index": index, "delta": {} if content is None else {"content": content}, "finish_reason": ended}


def choices(*given: object) -> Reply:
    return Reply({"choices": list(given), "usage": {"prompt_tokens": 7, "completion_tokens": 3}})


def choice(content: str, index: int) -> dict[str, object]:
    return {"index": index, "message": {"content": content}, "finish_reason": "stop"}


END = {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}
CHOICES = [
    scores("choices out of order", choices(choice('{"score": 20}', 1), choice(MARK, 0))),
    scores("choices without an index", choices({"message": {"content": MARK}, "finish_reason": "stop"})),
    scores(
        "choices of a stream, mixed",
        chunks(
            {"choices": [piece(MARK[:5])]},
            {"choices": [piece('{"score": 2', 1), piece(MARK[5:])]},
            {"choices": [piece("0}", 1, "stop")]},
            {"choices": [piece(None, ended="stop")]},
            END,
        ),
        options={"stream": True},
    ),
    scores(
        "usage of a stream of Groq",
        chunks(
            {
                "choices": [piece(MARK, ended="stop")],
                "x_groq": {"id": "req", "usage": {"prompt_tokens": 7, "completion_tokens": 3}},
            }
        ),
        options={"stream": True},
    ),
    fails(
        "an error in the midst of a stream",
        "is busy.*overloaded",
        chunks(
            {"choices": [piece(MARK)]},
            {"error": {"code": 502, "message": "the provider is overloaded"}, "choices": [piece("", ended="error")]},
        ),
        requests=2,
        options={"stream": True},
    ),
]

THOUGHTS = [
    scores(
        "a reasoning part with its text",
        said([{"type": "reasoning", "text": '{"score": 10}'}, {"type": "text", "text": MARK}]),
    ),
    scores(
        "a reasoning part with a summary",
        said(
            [
                {"type": "reasoning", "summary": [{"type": "summary_text", "text": '{"score": 10}'}]},
                {"type": "output_text", "text": MARK},
            ]
        ),
    ),
    scores("a redacted part", said([{"type": "redacted_thinking", "data": "x"}, {"type": "text", "text": MARK}])),
    scores("a field named thinking", said(MARK, thinking='{"score": 10}')),
    scores(
        "details of reasoning",
        said(MARK, reasoning="Hm.", reasoning_details=[{"type": "reasoning.text", "text": "Hm."}]),
    ),
    fails("only a reasoning part", REASONING, said([{"type": "reasoning", "text": MARK}]), spend=(7, 3)),
    scores(
        "harmony with a constraint",
        said(
            f'<|channel|>analysis<|message|>{{"score": 10}}<|end|><|start|>assistant<|channel|>final <|constrain|>json<|message|>{MARK}<|return|>'
        ),
    ),
    scores(
        "harmony, final json",
        said(f"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final json<|message|>{MARK}"),
    ),
    scores(
        "harmony, commentary between",
        said(
            "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>commentary<|message|>Now.<|end|>"
            f"<|start|>assistant<|channel|>final<|message|>{MARK}"
        ),
    ),
    scores(
        "harmony of llama.cpp without a format", said(f'<|channel|>analysis<|message|>{{"score": 10}}<|end|>{MARK}')
    ),
    fails("harmony, analysis alone", REASONING, said("<|channel|>analysis<|message|>Hm.<|end|>"), spend=(7, 3)),
]

SCALES = [
    fails(
        "a mark from 0 to 1",
        "0.85 looks like a mark from 0 to 1, and the scale is 0 to 100",
        said('{"score": 0.85}'),
        requests=2,
        spend=(14, 6),
    ),
    scores("a mark from 0 to 1, once", said('{"score": 0.7}'), OK, requests=2, spend=(14, 6)),
    fails(
        "a mark from 0 to 1 as text",
        "looks like a mark from 0 to 1",
        said('{"score": "0.85"}'),
        requests=2,
        spend=(14, 6),
    ),
    fails("a mark of ten as text", "score: ", said('{"score": "8/10"}'), requests=2, spend=(14, 6)),
    fails("a mark below 0", "greater than or equal to 0", said('{"score": -0.5}'), requests=2, spend=(14, 6)),
    Fault("a mark of 0", (said('{"score": 0}'),), 0.0, 1, (7, 3)),
    Fault("a mark of 1", (said('{"score": 1}'),), 0.01, 1, (7, 3)),
    Fault("a mark of 0.0", (said('{"score": 0.0}'),), 0.0, 1, (7, 3)),
]


def fewer(name: str, words: str, requests: int = 2) -> Fault:
    """A refusal of 20 most likely tokens, after which fewer are asked for."""
    refused = [Reply({"error": {"message": words, "param": "top_logprobs"}}, 400)] * (requests - 1)
    return Fault(
        f"top_logprobs: {name}",
        (*refused, completion({"4": 0.8, "3": 0.2})),
        0.7,
        requests,
        (7, 1),
        metric="weighted-assessment",
    )


TOP_TOKENS = [
    fewer("vLLM", "Requested sample logprobs of 20, which is greater than max allowed: 5"),
    fewer("a range", "Invalid value for 'top_logprobs': must be between 0 and 5."),
    fewer("pydantic", "body.top_logprobs: Input should be less than or equal to 8"),
    fewer("without a number", "top_logprobs is too large", 3),
    fewer("of the old protocol", "20 is greater than the maximum of 1 - 'logprobs'"),
    fails(
        "top_logprobs: never",
        "refused the question: .*logprobs are not supported",
        Reply({"error": {"message": "logprobs are not supported with this model"}}, 400),
        metric="weighted-assessment",
    ),
]

DIALECTS = [*RATES, *REFUSALS, *USAGES, *CHOICES, *THOUGHTS, *SCALES, *TOP_TOKENS]
