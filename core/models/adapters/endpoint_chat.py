"""Kind "endpoint_chat": the text that a language model answers, from an endpoint.

Inputs: a system and a user message, then answers and further requests in turn. Options: those of `core.models.llm.chat.chat_question`.
Texts: the answer as it came, and how it ended (stop | length | refusal | filter); values: the tokens written and, where
the server says so, those read from a cache and the cost; tokens: those
read; cut: those that the server left out, at least. What was refused or cut off is an answer too, though not one to keep:
who reads it takes it by `core.models.llm.chat.answer_text`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.models.llm.chat import question_schema, sampling_of
from core.models.llm.client.requests import chat_body
from core.models.llm.dialect import Body
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.spending.spend import unread_tokens, usage_values
from core.types import Answer, Question

if TYPE_CHECKING:
    from core.models.llm.client.completions import Completion


def ask(endpoint: Endpoint, question: Question) -> Answer:
    # imported when the first question is asked: openai takes a second to import, and listing metrics does not need it
    from core.models.llm.client.client import client_for

    answer = _answer(client_for(endpoint).chat(question.inputs, sampling_of(question), question_schema(question)))
    return replace(answer, cut=unread_tokens(question, answer.tokens))


def request_body(endpoint: Endpoint, question: Question, left_out: frozenset[str]) -> Body:
    """The question as a line of a batch."""
    return chat_body(endpoint, question.inputs, sampling_of(question), question_schema(question), left_out)


def read(endpoint: Endpoint, completion: object) -> Answer:
    """The answer to a line of a batch."""
    from core.models.llm.client.completions import read_completion

    return _answer(read_completion(completion, endpoint))


def _answer(answer: Completion) -> Answer:
    values = usage_values(answer.completion_tokens, answer.cached_tokens, answer.cost)
    return Answer(values, texts=(answer.text, answer.finish_reason), tokens=answer.prompt_tokens)
