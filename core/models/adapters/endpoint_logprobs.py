"""Kind "endpoint_logprobs": the most likely first tokens of a language model's answer, from an endpoint.

Inputs: a system and a user message. Options: "model", its name at the endpoint; "top_tokens", how many tokens;
"special_tokens", whether the tokenizer's own are put before the template. Values: the probabilities of the most likely
first tokens; texts: these tokens.
"""

from __future__ import annotations

from core.llm.endpoints import Endpoint
from core.models.model import int_option
from core.types import Answer, Question


def ask(endpoint: Endpoint, question: Question) -> Answer:
    # imported when the first question is asked: openai takes a second to import, and listing metrics does not need it
    from core.llm.client import client_for

    system, user = question.inputs
    answer = client_for(endpoint).first_token(
        model=str(dict(question.options)["model"]),
        system=system,
        user=user,
        top_tokens=int_option(question, "top_tokens", 5),
        special_tokens=bool(int_option(question, "special_tokens", 0)),
    )
    return Answer(values=answer.probabilities, texts=answer.tokens, tokens=answer.prompt_tokens)
