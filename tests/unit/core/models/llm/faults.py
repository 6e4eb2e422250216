"""What endpoints do in the field, one line each: replies, outcome, requests, and tokens paid."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.unit.core.models.llm.scripted import Reply, completion, refusal, stream, text

KEY = "sk-a-secret-of-nobody"
NOW = {"retry-after-ms": "1"}
MARK = '{"score": 70}'
OK = text(MARK)
HTML = {"Content-Type": "text/html"}
SSE = {"Content-Type": "text/event-stream"}


@dataclass(frozen=True)
class Fault:
    """Replies in their order, the last one again and again; `outcome` is a score, or a pattern of the failure's message.

    `spend` are the tokens read and written that count as paid; `options` are fields of the endpoint.
    """

    name: str
    replies: tuple[Reply, ...]
    outcome: float | str
    requests: int
    spend: tuple[int, int] = (0, 0)
    options: Mapping[str, object] = field(default_factory=dict)
    metric: str = "direct-assessment"


def plain(message: object, ended: object = "stop", usage: object = None) -> Reply:
    return Reply({"choices": [{"index": 0, "message": message, "finish_reason": ended}], "usage": usage})


def said(content: object, **more: object) -> Reply:
    return plain({"role": "assistant", "content": content, **more}, usage={"prompt_tokens": 7, "completion_tokens": 3})


def called(*arguments: str) -> Reply:
    """An answer by calls of tools."""
    calls = [{"id": "x", "type": "function", "function": {"name": "Mark", "arguments": one}} for one in arguments]
    usage = {"prompt_tokens": 7, "completion_tokens": 3}
    return plain({"role": "assistant", "content": None, "tool_calls": calls}, "tool_calls", usage)


def in_choice(code: int, message: str) -> Reply:
    """An error as OpenRouter gives it where the model had begun."""
    error = {"code": code, "message": message, "metadata": {"provider_name": "Nobody"}}
    choice = {"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "error", "error": error}
    return Reply({"choices": [choice]})


def fails(name: str, outcome: str, *replies: Reply, requests: int = 1, **more: Any) -> Fault:
    return Fault(name, replies, outcome, requests, **more)


def scores(name: str, *replies: Reply, requests: int = 1, spend: tuple[int, int] = (7, 3), **more: Any) -> Fault:
    return Fault(name, replies, 0.7, requests, spend, **more)


def status(code: int, outcome: str, requests: int = 1) -> Fault:
    return fails(f"status {code}", outcome, refusal(code, f"no, {KEY}", **NOW), requests=requests)


def tokens(name: str, outcome: float | str, *top: object, spend: tuple[int, int] = (7, 1)) -> Fault:
    """A reply with these most likely first tokens, asked for by Bespoke-MiniCheck."""
    logprobs = {"content": [{"token": "x", "logprob": 0, "top_logprobs": list(top)}]}
    choice = {"index": 0, "message": {"content": "x"}, "finish_reason": "length", "logprobs": logprobs}
    reply = Reply({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 1}})
    return Fault(f"first token: {name}", (reply,), outcome, 1, spend, metric="bespoke-minicheck-7b")


def events(*data: str) -> Reply:
    return Reply(raw="".join(f"data: {one}\n\n" for one in data).encode(), headers=SSE)


def chunk(**choice: object) -> str:
    return json.dumps({"choices": [{"index": 0, **choice}]})


AGAIN = {"retries": 1}
STREAM = {"stream": True}
QUICK = {"patience_s": 0.4, "retries": 0}
NO_FORM = r"does not answer in the form of OpenAI"
PROVIDER = "Provider returned error"
NO_SERVICE = r"(?:refused the question|failed): "
REASONING = "Only reasoning came"
UNREADABLE = r"no complete JSON object; one is expected\. The model said"

STATUSES = [
    status(400, NO_SERVICE + "Error code: 400 - no, …", 2),  # with the schema and without
    status(401, "does not accept the key. .*It says: “no, …”"),
    status(402, "wants money. .*“no, …”"),
    status(403, "does not let this key use 'm'. .*“no, …”"),
    status(404, "serves no model 'm' or not this path. .*“no, …”"),
    status(405, NO_SERVICE),
    status(406, NO_SERVICE),
    status(408, NO_SERVICE, 2),
    status(409, NO_SERVICE, 2),
    status(410, NO_SERVICE),
    status(413, NO_SERVICE),
    status(415, NO_SERVICE),
    status(418, NO_SERVICE),
    status(422, NO_SERVICE, 2),
    status(425, NO_SERVICE, 2),
    status(429, "has reached its rate limit", 2),
    status(431, NO_SERVICE),
    status(451, NO_SERVICE),
    status(500, NO_SERVICE, 2),
    status(501, NO_SERVICE, 2),
    status(502, NO_SERVICE, 2),
    status(503, NO_SERVICE, 2),
    status(504, NO_SERVICE, 2),
    status(529, "is busy", 2),
    *(scores(f"{code} once", refusal(code, "later", **NOW), OK, requests=2) for code in (408, 409, 429, 500, 503, 529)),
    fails("quota as 429", "wants money", refusal(429, "You exceeded your current quota, check your billing.")),
    fails("quota as 403", "wants money", refusal(403, "Insufficient balance: credit balance is too low.")),
    fails("pause of an hour", "Wait 3600 s", refusal(429, "later", **{"retry-after": "3600"})),
    fails("pause of an hour, 503", NO_SERVICE, refusal(503, "later", **{"retry-after": "3600"})),
    scores(
        "pause as a date", refusal(429, "later", **{"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}), OK, requests=2
    ),
    fails("error page", NO_SERVICE, Reply(raw=b"<html>Bad gateway", status=502, headers=HTML), requests=2),
    fails("error without a body", NO_SERVICE, Reply(raw=b"", status=500), requests=2),
    fails("error of NUL and halves", NO_SERVICE, Reply(raw=b'{"error": "\\u0000 \\ud800"}', status=500), requests=2),
    fails("error as a list", NO_SERVICE, Reply([1], status=422), requests=2),
    fails("error without a message", "does not accept the key", Reply({"error": None}, status=401)),
]

PARAMETERS = [
    scores("max_tokens", refusal(400, "Use 'max_completion_tokens' instead of 'max_tokens'."), OK, requests=2),
    scores("top_p", refusal(400, "temperature and top_p cannot both be specified."), OK, requests=2),
    scores("system role", refusal(400, "System role not supported"), OK, requests=2),
    scores("schema", refusal(400, "response_format json_schema is unknown"), OK, requests=2),
    scores("schema is its own error", refusal(500, "('body', 'response_format'): 'json_schema'"), OK, requests=2),
    scores("JSON mode", refusal(400, "response_format"), refusal(400, "response_format"), OK, requests=3),
    scores("schema, unnamed", refusal(422, "Extra inputs are not permitted"), OK, requests=2),
    scores(
        "one after the other", refusal(400, "max_tokens"), refusal(400, "top_p"), refusal(400, "schema"), OK, requests=4
    ),
    fails(
        "temperature",
        "takes no temperature for this model",
        Reply({"error": {"message": "Unsupported value.", "param": "temperature"}}, 400),
    ),
    scores("deprecated temperature", refusal(400, "`temperature` is deprecated for this model."), OK, requests=2),
    scores(
        "no endpoints",
        *[refusal(404, "No endpoints found that support the requested parameters.")] * 3,
        OK,
        requests=4,
    ),
    scores("roles", refusal(400, "Conversation roles must alternate user/assistant/user/…"), OK, requests=2),
    fails(
        "Responses alone",
        "serves 'm' by the Responses API alone. Set api under .* to responses",
        refusal(404, "This model is only supported in v1/responses and not in v1/chat/completions."),
    ),
    fails("context", "window of 4,096 tokens.*Shorten the document", refusal(400, "maximum context is 4096")),
]

BODIES = [
    fails("nothing", NO_FORM, Reply(raw=b"")),
    fails("a page", NO_FORM, Reply(raw=b"<html>", headers=HTML)),
    fails("half an object", NO_FORM, Reply(raw=b'{"choices": [{"ind')),
    *(fails(f"body {body}", NO_FORM, Reply(body)) for body in (None, [], "yes", 7, True, {}, {"detail": KEY})),
    fails("error with 200", NO_SERVICE + "model is …", Reply({"error": {"message": f"model is {KEY}"}})),
    fails("error as text with 200", NO_SERVICE + "overloaded", Reply({"error": "overloaded"})),
    *(
        fails(f"choices {choices}", NO_FORM, Reply({"choices": choices}))
        for choices in (None, [], [None], [{}], "yes", {}, [{"message": None}], [{"message": "yes"}])
    ),
    scores("error in a choice, once", in_choice(502, "Provider returned error"), OK, requests=2),
    fails("error in a choice", NO_SERVICE + ".*Provider returned error", in_choice(502, PROVIDER), requests=2),
    fails("error of the key in a choice", "does not accept the key.*Provider", in_choice(401, PROVIDER)),
    fails("busy in a choice", "has reached its rate limit.*Provider", in_choice(429, PROVIDER), requests=2),
    scores("busy with 200, once", Reply({"error": {"code": 503, "message": "Overloaded"}}), OK, requests=2),
    scores("a call of a tool", called(MARK)),
    fails("two calls of tools", "says 'tool_calls'", called(MARK, MARK), spend=(7, 3)),
    fails("content a number", NO_FORM, said(7)),
    fails("content an object", NO_FORM, said({"score": 70})),
    scores("JSON as text/plain", replace(OK, headers={"Content-Type": "text/plain"})),
    scores("content in parts", said([{"type": "text", "text": MARK[:5]}, {"type": "text", "text": MARK[5:]}])),
    scores("further fields", said('{"score": 70, "confidence": "high"}')),
    scores("mark as text", said('{"score": "70"}')),
    scores("mark in percent", said('{"score": "70%"}')),
    scores("a fence", said(f"```json\n{MARK}\n```")),
    scores("twice the same", said(f"{MARK}\n{MARK}")),
    scores("unreadable once", text("Seventy, I think."), OK, requests=2, spend=(14, 6)),
]

ANSWERS = [
    fails("prose", UNREADABLE, text("It seems quite consistent."), requests=2, spend=(14, 6)),
    fails("a refusal in prose", UNREADABLE, text("I cannot assist with that."), requests=2, spend=(14, 6)),
    fails("a refusal", "The model refused", text(None, refused="I must not."), spend=(7, 3)),
    fails("empty", "The answer is empty", text(""), spend=(7, 3)),
    fails("null", "The answer is empty", text(None), spend=(7, 3)),
    fails("blank", "The answer is empty", text(" \n\t"), spend=(7, 3)),
    fails("too high", "less than or equal to 100", text('{"score": 700}'), requests=2, spend=(14, 6)),
    fails("true", "score: ", text('{"score": true}'), requests=2, spend=(14, 6)),
    fails("NaN", "score: ", text('{"score": NaN}'), requests=2, spend=(14, 6)),
    fails("null mark", "score: ", text('{"score": null}'), requests=2, spend=(14, 6)),
    fails("another key", "score: Field required", text('{"rating": 70}'), requests=2, spend=(14, 6)),
    fails("the mark twice", "gives 'score' twice", text('{"score": 73, "score": 12}'), requests=2, spend=(14, 6)),
    scores("the same mark twice", text('{"score": 70, "score": 70}')),
    fails("two marks", "2 JSON objects", text('{"score": 7} {"score": 70}'), requests=2, spend=(14, 6)),
    fails("halves and NUL", UNREADABLE, said("\ud83d\x00"), requests=2, spend=(14, 6)),
    fails("10 MB", UNREADABLE, text("x" * 10_000_000), requests=2, spend=(14, 6)),
    fails("deep", UNREADABLE, text("{" * 100_000), requests=2, spend=(14, 6)),
    *(
        fails(
            f"ended by {ended}",
            f"The endpoint|the endpoint says '{ended}'|cut at its limit|filter",
            text(MARK, ended),
            spend=(7, 3),
        )
        for ended in (
            "length",
            "max_tokens",
            "model_length",
            "content_filter",
            "error",
            "abort",
            "tool_calls",
            "weather",
        )
    ),
    fails(
        "ended by nothing",
        "did not come to its end",
        plain({"content": MARK}, None, {"prompt_tokens": 7, "completion_tokens": 3}),
        spend=(7, 3),
    ),
    *(scores(f"ended by {ended}", text(MARK, ended)) for ended in ("eos", "eos_token", "end_turn", "STOP")),
]

USAGES = [
    scores(f"usage {usage}", plain({"content": MARK}, "stop", usage), spend=paid)
    for usage, paid in (
        ({"prompt_tokens": "7", "completion_tokens": "3"}, (7, 3)),
        ({"prompt_tokens": 7.0, "completion_tokens": 3.0}, (7, 3)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "completion_tokens_details": {"reasoning_tokens": 50}}, (7, 53)),
        ({"prompt_tokens": 7, "completion_tokens": 3, "completion_tokens_details": None}, (7, 3)),
        ({"prompt_tokens": 7}, (7, 4)),
        ({"prompt_tokens": 7, "completion_tokens": -3}, (7, 4)),
        ({"prompt_tokens": 7, "completion_tokens": None}, (7, 4)),
        ({"prompt_tokens": 7, "completion_tokens": "many"}, (7, 4)),
        ({"prompt_tokens": 7, "completion_tokens": 10**30}, (7, 4)),
    )
]

THOUGHT = [
    scores("think", said(f"<think>Hm.</think>{MARK}")),
    scores("no opening tag", said(f"Hm, I say.\n</think>\n{MARK}")),
    scores("thinking", said(f"<thinking>Hm.</thinking>{MARK}")),
    scores(
        "harmony", said(f"<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>{MARK}")
    ),
    scores("harmony without marks", said(f"analysisHm.assistantfinal{MARK}")),
    scores("a field of its own", said(MARK, reasoning_content="Hm.")),
    scores(
        "a part of its own", said([{"type": "thinking", "thinking": [{"text": "Hm."}]}, {"type": "text", "text": MARK}])
    ),
    fails("only a field", REASONING, said(None, reasoning_content="Hm."), spend=(7, 3)),
    fails("only an open tag", REASONING, said("<think>Hm."), spend=(7, 3)),
    fails("only a closed tag", REASONING, said("<think>Hm.</think>"), spend=(7, 3)),
]

CONNECTIONS = [
    fails("hangs up", "broke off|cannot be reached", Reply(dropped=True), requests=2),
    scores("hangs up once", Reply(dropped=True), OK, requests=2),
    fails("reset in the body", "broke off in the middle", replace(OK, cut=40), requests=2),
    scores("reset in the body once", replace(OK, cut=40), OK, requests=2),
    fails("drips", "did not answer within", replace(OK, drip_s=0.05), options=QUICK),
    fails("40 MB", "sends more than 32 MB", Reply(raw=b" " * 40_000_000), requests=2),
    fails("redirects for ever", "redirects again and again", Reply(status=307, headers={"Location": "."}), requests=6),
    fails("redirect to nowhere", "refused the question|does not answer", Reply(raw=b"", status=304)),
    fails(
        "broken encoding",
        "broke off|form of OpenAI",
        Reply(raw=b"xx", headers={"Content-Encoding": "gzip"}),
        requests=2,
    ),
]

STREAMS = [
    scores("stream", stream(MARK[:5], MARK[5:]), options=STREAM),
    scores(
        "stream with null pieces",
        events(
            chunk(delta=None),
            chunk(delta={"content": MARK}),
            chunk(delta={}, finish_reason="stop"),
            '{"choices": null, "usage": {"prompt_tokens": 7, "completion_tokens": 3}}',
            "[DONE]",
        ),
        options=STREAM,
    ),
    scores("stream that was not asked for is JSON", OK, options=STREAM),
    scores("stream cut once", replace(stream(MARK), cut=60), stream(MARK), requests=2, options=STREAM | AGAIN),
    fails("stream cut", "broke off|form of OpenAI", replace(stream(MARK), cut=60), requests=2, options=STREAM),
    fails("stream without an end", "broke off in the middle", stream(MARK, ended=""), requests=2, options=STREAM),
    fails("stream of nothing", "broke off in the middle", events("[DONE]"), requests=2, options=STREAM),
    fails("stream of garbage", NO_FORM, events("{nothing"), options=STREAM),
    fails(
        "error in a stream",
        NO_SERVICE + "out of memory",
        events('{"error": {"message": "out of memory"}}'),
        options=STREAM,
    ),
    scores(
        "busy in a stream, once",
        events('{"error": {"code": 503, "message": "Overloaded"}, "choices": []}'),
        stream(MARK),
        requests=2,
        options=STREAM,
    ),
    scores("stream, where it may be long", stream(MARK), metric="direct-assessment[max_tokens=2048]"),
    scores("JSON, where it may be long", OK, metric="direct-assessment[max_tokens=2048]"),
    fails(
        "drips, never in a stream",
        "did not answer within",
        replace(OK, drip_s=0.05),
        options=QUICK,
        metric="direct-assessment[max_tokens=2048]",
    ),
    scores(
        "drips in a stream",
        # longer in all than its patience, which no silence of a busy machine reaches
        replace(stream(MARK), drip_s=0.02),
        options={"patience_s": 8.0, "retries": 0},
        metric="direct-assessment[max_tokens=2048]",
    ),
    scores(
        "stream is not supported",
        refusal(400, "Streaming is not supported by this model"),
        OK,
        requests=2,
        metric="direct-assessment[max_tokens=2048]",
    ),
    fails("length in a stream", "cut at its limit", stream(MARK, ended="length"), options=STREAM, spend=(7, 3)),
    fails(
        "reasoning in a stream",
        REASONING,
        events(
            chunk(delta={"reasoning": "Hm."}),
            chunk(delta={}, finish_reason="stop"),
            '{"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3}}',
        ),
        options=STREAM,
        spend=(7, 3),
    ),
    scores("stream options", refusal(400, "stream_options is unknown"), stream(MARK), requests=2, options=STREAM),
]

NEITHER = "neither Yes nor No"
TOKENS = [
    tokens("yes", 0.7, {"token": "Yes", "logprob": -0.35667494393873245}),
    tokens("blank yes", 0.7, {"token": " Yes", "logprob": -0.35667494393873245}),
    tokens("marked yes", 0.7, {"token": "▁Yes", "logprob": -0.35667494393873245}),
    tokens(
        "equal yeses",
        0.8,
        {"token": "Yes", "logprob": math.log(0.6)},
        {"token": "No", "logprob": math.log(0.2)},
        {"token": "Yes", "logprob": math.log(0.2)},
    ),
    tokens("none", NEITHER),
    tokens("reasoning", NEITHER, {"token": "<think>", "logprob": -0.1}),
    tokens("null number", NEITHER, {"token": "Yes", "logprob": None}),
    tokens("null token", NEITHER, {"token": None, "logprob": -1}),
    tokens("null", NEITHER, None),
    fails("no log-probabilities", "gives no log-probabilities", text("Yes"), metric="bespoke-minicheck-7b"),
    fails(
        "null log-probabilities",
        "gives no log-probabilities",
        Reply({"choices": [{"logprobs": {"content": None}}]}),
        metric="bespoke-minicheck-7b",
    ),
    Fault(
        "tokens as OpenAI sends them",
        (completion({"Yes": 0.7, "No": 0.3}),),
        0.7,
        1,
        (7, 1),
        metric="bespoke-minicheck-7b",
    ),
]

FAULTS = [*STATUSES, *PARAMETERS, *BODIES, *ANSWERS, *USAGES, *THOUGHT, *CONNECTIONS, *STREAMS, *TOKENS]
