"""Kind "endpoint_score": what a service says of a document and a summary; needs no torch.

Inputs: document, summary, question ("" for none). Option "metric": the name that is sent along, "" for none. Values: the score, then
those of sentences; `spans` are these in the summary, `texts` the places of evidence ("start end" or ""), then the service's signature,
and the cost where it says that.
Raises UnscorableError for a text that the service refuses.
"""

from __future__ import annotations

import json

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.errors import TouchstoneError, UnscorableError
from core.models.llm.endpoints.endpoint import Endpoint
from core.types import Answer, Question, Span


class _Place(BaseModel):
    model_config = ConfigDict(frozen=True)

    start: int = Field(ge=0)
    end: int


class _Sentence(_Place):
    score: float = Field(allow_inf_nan=False)
    evidence: _Place | None = None


class _Reply(BaseModel):
    model_config = ConfigDict(frozen=True)

    score: float | None = Field(None, allow_inf_nan=False)
    sentences: tuple[_Sentence, ...] = ()
    error: str | None = None
    signature: str = ""
    cost: float | None = Field(None, ge=0, allow_inf_nan=False)


def ask(endpoint: Endpoint, question: Question) -> Answer:
    # imported when the first question is asked: openai takes a second to import, and listing metrics does not need it
    from core.models.llm.client.client import client_for

    document, summary, query = question.inputs
    metric = str(dict(question.options).get("metric", ""))
    body = {"document": document, "summary": summary}
    body |= {name: value for name, value in (("question", query), ("metric", metric)) if value}
    url = endpoint.base_url
    return read_reply(
        client_for(endpoint).call(lambda library: library.post(url, cast_to=object, body=body)), question, url
    )


def read_reply(sent: object, question: Question, url: str) -> Answer:
    """The answer in what a service sent; raises TouchstoneError for what is none, UnscorableError for its refusal of the text."""
    document, summary, _ = question.inputs
    try:
        reply = _Reply.model_validate(json.loads(sent) if isinstance(sent, str) else sent)
    except ValueError as error:
        wrong = error.errors()[0]["msg"] if isinstance(error, ValidationError) else "it is no JSON"
        raise TouchstoneError(
            f'{url} does not answer {{"score": number, "sentences": […]}}: {wrong}. Look at what the service sends.'
        ) from None
    if reply.score is None:
        raise UnscorableError(reply.error or f"{url} gave no score for this text.")
    parts = reply.sentences
    spans = tuple(Span(part.start, part.end) for part in parts)
    evidence = [part.evidence for part in parts]
    if any(span.start >= span.end or span.end > len(summary) for span in spans) or any(
        place.end > len(document) for place in evidence if place
    ):
        raise TouchstoneError(
            f"{url} places a sentence outside of the summary, or evidence outside of the document. Count characters from 0."
        )
    places = [f"{place.start} {place.end}" if place else "" for place in evidence]
    cost = () if reply.cost is None else (repr(reply.cost),)
    return Answer((reply.score, *(part.score for part in parts)), spans, (*places, reply.signature, *cost))
