"""Kind "endpoint_logprobs": the most likely first tokens of a language model's answer, from an endpoint.

Inputs: a system and a user message. Options: "model", its name at the endpoint; "top_tokens", how many tokens;
"special_tokens", whether the tokenizer's own are put before the template; "max_tokens", of an answer whose first tokens may
be blanks, 1 by default. Values: the probabilities of the most likely first tokens, then the tokens written and, where the
server says so, those read from a cache and the cost; texts: the first tokens; tokens: those read; cut: the tokens of the
question that the server left out, at least.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.models.llm.client.requests import FirstTokens, first_token_body
from core.models.llm.dialect import Body
from core.models.llm.endpoints.endpoint import Endpoint
from core.models.llm.spending.spend import unread_tokens, usage_values
from core.models.networks.model import int_option
from core.types import Answer, Question

if TYPE_CHECKING:
    from core.models.llm.client.completions import FirstToken

_DEFAULT_TOP_TOKENS = 5


def ask(endpoint: Endpoint, question: Question) -> Answer:
    # imported when the first question is asked: openai takes a second to import, and listing metrics does not need it
    from core.models.llm.client.client import client_for

    system, user = question.inputs
    answer = _answer(client_for(endpoint).first_token(system, user, _asked(question)))
    return replace(answer, cut=unread_tokens(question, answer.tokens))


def request_body(endpoint: Endpoint, question: Question, left_out: frozenset[str]) -> Body:
    """The question as a line of a batch."""
    return first_token_body(endpoint, question.inputs, _asked(question), left_out)


def read(endpoint: Endpoint, completion: object) -> Answer:
    """The answer to a line of a batch."""
    from core.models.llm.client.completions import read_first_token

    return _answer(read_first_token(completion, endpoint))


def _asked(question: Question) -> FirstTokens:
    return FirstTokens(
        model=str(dict(question.options)["model"]),
        top_tokens=int_option(question, "top_tokens", _DEFAULT_TOP_TOKENS),
        max_tokens=int_option(question, "max_tokens", 1),
        special_tokens=bool(int_option(question, "special_tokens", 0)),
    )


def _answer(answer: FirstToken) -> Answer:
    usage = usage_values(answer.completion_tokens, answer.cached_tokens, answer.cost)
    return Answer((*answer.probabilities, *usage), texts=answer.tokens, tokens=answer.prompt_tokens)
