"""Scores of our metrics over HTTP: one pair or a batch, for metrics that were chosen at the start, with a token."""

from __future__ import annotations

import asyncio
import hmac
import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from core.assessment import format_direction, format_range
from core.base import open_templates
from core.scoring import Engine, Metric
from core.settings import VERSION
from core.types import Example, Outcome, Result
from pages.server.request_body import read_beginning
from pages.server.score_forms import ScoreForm

_MOST_EXAMPLES = 1_000
_MOST_BYTES = 32 * 2**20
_MOST_CHARACTERS = 1_000_000  # of a document; the longest that metrics are measured with
_MOST_SUMMARY_CHARACTERS = 100_000
_MOST_BATCH_CHARACTERS = 10_000_000
REQUEST_S, REQUESTS_AT_ONCE = 120.0, 8
"""Time in which a request is answered, in seconds, and number of requests that are answered at the same time."""
_TEMPLATES = Path(__file__).with_name("templates")


_SCHEMES = {"token": {"type": "http", "scheme": "bearer"}}


class _Pair(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    document: str = Field(max_length=_MOST_CHARACTERS)
    summary: str = Field(max_length=_MOST_SUMMARY_CHARACTERS)
    question: str = Field("", max_length=_MOST_SUMMARY_CHARACTERS)


class _Single(_Pair):
    metric: str = ""


class _Batch(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    examples: list[_Pair] = Field(max_length=_MOST_EXAMPLES)
    metric: str = ""


class _RefusedError(Exception):
    """A request that cannot be answered, with its status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True, eq=False)
class ScoreService:
    """The metrics that are served, the first of which is asked where none is named; "" is no token."""

    engine: Engine
    metrics: Sequence[Metric]
    token: str
    like: type[ScoreForm] | None = None
    """Form of another server that is answered besides; at a path of both, in place of ours."""
    request_s: float = REQUEST_S
    at_once: int = REQUESTS_AT_ONCE
    _running: set[asyncio.Future[list[Outcome]]] = field(default_factory=set)

    def app(self) -> Starlette:
        """The application; `/health` and the description need no token."""
        others = [Route(path, self._score_like, methods=["POST"]) for path in (self.like.paths if self.like else ())]
        return Starlette(
            routes=[
                *others,
                Route("/", self._page),
                Route("/openapi.json", self._description),
                Route("/health", self._health),
                Route("/score", self._score, methods=["POST"]),
            ],
            exception_handlers={_RefusedError: _refusal},
        )

    def _api(self) -> dict[str, Any]:
        return describe_api([metric.spec for metric in self.metrics], bool(self.token))

    async def _health(self, _: Request) -> Response:
        listed = [metric.spec for metric in self.metrics]
        return JSONResponse({"status": "ok", "version": VERSION, "metrics": listed})

    async def _description(self, _: Request) -> Response:
        return JSONResponse(self._api())

    async def _page(self, _: Request) -> Response:
        paths = self._api()["paths"]
        operations = [
            (path, method, operation) for path, methods in paths.items() for method, operation in methods.items()
        ]
        cards = [(metric.spec, metric.card) for metric in self.metrics]
        metrics = [
            {"metric": spec, "range": format_range(card.low, card.high), "direction": format_direction(card.direction)}
            for spec, card in cards
        ]
        page = open_templates(_TEMPLATES).get_template("service.html")
        return HTMLResponse(page.render(metrics=metrics, operations=operations))

    async def _score(self, request: Request) -> Response:
        body = await self._body(request)
        try:
            record = json.loads(body)
            form = _Batch if isinstance(record, dict) and "examples" in record else _Single
            payload: _Single | _Batch = form.model_validate(record)
        except ValidationError as error:
            raise _RefusedError(
                422, f"{_wrong_fields(error)}. Send document and summary, or a list of them as examples."
            ) from None
        except (ValueError, RecursionError):  # brackets in thousands
            raise _RefusedError(422, 'The request is no JSON. Send {"document": …, "summary": …}.') from None
        pairs = payload.examples if isinstance(payload, _Batch) else [payload]
        examples = [
            Example(str(place), pair.document, pair.summary, (), pair.question) for place, pair in enumerate(pairs)
        ]
        if sum(len(pair.document) + len(pair.summary) for pair in pairs) > _MOST_BATCH_CHARACTERS:
            raise _RefusedError(413, f"The texts of a request may have {_MOST_BATCH_CHARACTERS:,} characters together.")
        outcomes = await self._outcomes(self._metric(payload.metric), examples)
        records: list[dict[str, Any]] = []
        for outcome, example in zip(outcomes, examples, strict=True):
            if isinstance(outcome, Result):
                sentences = [
                    {
                        "start": part.span.start,
                        "end": part.span.end,
                        "text": part.span.of(example.summary),
                        "score": part.score,
                        "evidence": part.evidence
                        and {
                            "start": part.evidence.start,
                            "end": part.evidence.end,
                            "text": part.evidence.of(example.document),
                        },
                    }
                    for part in outcome.parts
                ]
                score = {"score": outcome.score, "sentences": sentences, "signature": outcome.signature}
            else:
                score = {"score": None, "error": outcome.error, "kind": outcome.kind.value}
            records.append({**score, "metric": outcome.metric})
        return JSONResponse({"scores": records} if isinstance(payload, _Batch) else records[0])

    async def _score_like(self, request: Request) -> Response:
        assert self.like is not None
        try:
            return JSONResponse(await self._answer_like(request, self.like))
        except _RefusedError as error:
            return JSONResponse(self.like.error(error.status, str(error)), error.status, _refusal_headers(error))

    async def _answer_like(self, request: Request, form: type[ScoreForm]) -> object:
        body = await self._body(request)
        try:
            payload = form.model_validate_json(body)
            pairs = payload.pairs
        except ValidationError as error:
            raise _RefusedError(422, f"{_wrong_fields(error)}.") from None
        except ValueError as error:
            raise _RefusedError(422, str(error)) from None
        except RecursionError:  # brackets in thousands
            raise _RefusedError(422, "The request is no JSON of this form.") from None
        if len(pairs) > _MOST_EXAMPLES:
            raise _RefusedError(413, f"A request may have {_MOST_EXAMPLES:,} pairs. Send fewer at once.")
        metric = self._metric(payload.model)
        examples = [Example(str(place), document, summary) for place, (document, summary) in enumerate(pairs)]
        for example in examples:
            if len(example.document) > _MOST_CHARACTERS or len(example.summary) > _MOST_SUMMARY_CHARACTERS:
                raise _RefusedError(
                    422,
                    f"Pair {example.id} is too long: a document may have {_MOST_CHARACTERS:,} characters, a summary "
                    f"{_MOST_SUMMARY_CHARACTERS:,}.",
                )
        outcomes = await self._outcomes(metric, examples)
        scores = [outcome.score for outcome in outcomes if isinstance(outcome, Result)]
        for place, outcome in enumerate(outcomes):
            if not isinstance(outcome, Result):
                # these forms have no place for a pair without a score
                raise _RefusedError(422, f"Pair {place} has no score, and so none is sent: {outcome.error}")
        return payload.answer(scores, metric.spec)

    async def _body(self, request: Request) -> bytes:
        self._check_token(request)
        self._check_number()
        body = await read_beginning(request, _MOST_BYTES)
        if len(body) > _MOST_BYTES:
            raise _RefusedError(413, f"A request may have {_MOST_BYTES // 2**20} MB. Send fewer pairs at once.")
        return body

    async def _outcomes(self, metric: Metric, examples: Sequence[Example]) -> list[Outcome]:
        """Outcomes in the order of the examples. Raises _RefusedError where they take too long; what runs on keeps its place."""
        self._check_number()  # others may have begun while the body arrived
        is_given_up = threading.Event()

        def run() -> list[Outcome]:
            outcomes = []
            for _, outcome in self.engine.run([metric], examples):
                if is_given_up.is_set():
                    break
                outcomes.append(outcome)
            return outcomes

        running = asyncio.ensure_future(run_in_threadpool(run))
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        try:
            return await asyncio.wait_for(asyncio.shield(running), self.request_s)
        except TimeoutError:
            is_given_up.set()
            raise _RefusedError(
                503,
                f"No answer after {self.request_s:g} s, and none is waited for. Send fewer or shorter pairs at once.",
            ) from None

    def _check_number(self) -> None:
        if len(self._running) >= self.at_once:
            raise _RefusedError(
                429, f"{self.at_once} requests are answered at the same time. Send this one again later."
            )

    def _check_token(self, request: Request) -> None:
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if self.token and not (
            scheme.lower() == "bearer" and hmac.compare_digest(token.strip().encode(), self.token.encode())
        ):
            raise _RefusedError(401, "Send the token: `Authorization: Bearer TOKEN`.")

    def _metric(self, spec: str) -> Metric:
        served = {metric.spec: metric for metric in self.metrics}
        if spec and spec not in served:
            raise _RefusedError(404, f"No metric {spec!r} is served here. Served: {', '.join(served)}.")
        return served[spec] if spec else self.metrics[0]


def describe_api(metrics: Sequence[str], needs_token: bool) -> dict[str, Any]:
    """The OpenAPI description of the service of these metrics."""
    limits = {"document": _MOST_CHARACTERS, "summary": _MOST_SUMMARY_CHARACTERS, "question": _MOST_SUMMARY_CHARACTERS}
    texts = {name: {"type": "string", "maxLength": most} for name, most in limits.items()}
    closed = {"type": "object", "additionalProperties": False}
    pair = {**closed, "required": ["document", "summary"], "properties": texts}
    named = {"metric": {"type": "string", "enum": list(metrics)}}
    batch = {"type": "array", "items": pair, "maxItems": _MOST_EXAMPLES}
    example = {"document": "It rained in York all night.", "summary": "It rained in York.", "metric": metrics[0]}
    forms = [
        {**pair, "properties": {**texts, **named}},
        {**closed, "required": ["examples"], "properties": {"examples": batch, **named}},
    ]
    score = {
        "summary": "Score a pair, or with `examples` a batch. `score` is null where a text has none, with the reason in `error`.",
        **({"security": [{"token": []}]} if needs_token else {}),
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"oneOf": forms}, "example": example}},
        },
        "responses": {
            "200": {"description": "{score, sentences, signature, metric, error}, of a batch {scores: […]}"},
            **({"401": {"description": "without the token"}} if needs_token else {}),
            "404": {"description": "a metric that is not served"},
            "413": {"description": "too much at once"},
            "422": {"description": "a request of another form, or a text that is too long"},
            "429": {"description": "too many requests at the same time"},
            "503": {"description": "no answer in time"},
        },
    }
    health = {
        "summary": "Say that the service runs, and which metrics it serves.",
        "responses": {"200": {"description": "ok"}},
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Touchstone: scores as a service", "version": VERSION},
        **({"components": {"securitySchemes": _SCHEMES}} if needs_token else {}),
        "paths": {"/score": {"post": score}, "/health": {"get": health}},
    }


async def _refusal(_: Request, error: Exception) -> Response:
    assert isinstance(error, _RefusedError)
    return JSONResponse({"error": str(error)}, error.status, _refusal_headers(error))


def _refusal_headers(error: _RefusedError) -> dict[str, str]:
    headers = {401: {"WWW-Authenticate": "Bearer"}, 429: {"Retry-After": "5"}, 503: {"Retry-After": "5"}}
    return headers.get(error.status, {})


def _wrong_fields(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, detail['loc']))}: {detail['msg']}" for detail in error.errors())
